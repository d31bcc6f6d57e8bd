package io.retso.hbase.coprocessor.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import io.retso.hbase.coprocessor.region.ObserverMetrics;
import io.retso.hbase.layout.AdoptionRequest.Adoption;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.OracleSettings;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.options.Conflicts;
import io.retso.hbase.options.Reads;
import io.retso.hbase.rights.SecuredOracle;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.hbase.metrics.MetricRegistryInfo;
import org.apache.hadoop.hbase.metrics.impl.MetricRegistryImpl;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What clients say of outcomes, judged by a region server of an oracle that knows its clients. */
@Timeout(120)
class OutcomeProofsTest {
  private static final byte[] ROW = {1};
  private static final int WINDOW = 1 << 17;

  private static SecuredOracle oracle;
  private static Place place;

  /** Where the oracle is, and what proves who its clients are. */
  public record Place(
      String address,
      OracleClient app,
      Map<String, String> regionServer,
      Map<String, String> application) {}

  private final ObserverMetrics metrics =
      new ObserverMetrics(
          new MetricRegistryImpl(new MetricRegistryInfo("test", "", "test", "test", false)));

  private OracleLink link;
  private OutcomeProofs proofs;

  @BeforeAll
  static void start(@TempDir Path directory) throws Exception {
    oracle = SecuredOracle.start(directory);
    Map<String, String> application = oracle.certificate("app");
    use(
        new Place(
            oracle.address(),
            OracleSettings.client(configuration(application), "app")
                .address(oracle.address())
                .build(),
            oracle.regionServer(),
            application));
  }

  /** Its tests go by that oracle. */
  static void use(Place used) {
    place = used;
  }

  static Place place() {
    return place;
  }

  @AfterAll
  static void stop() {
    place.app().close();
    oracle.close();
  }

  private static Configuration configuration(Map<String, String> settings) {
    Configuration configuration = new Configuration(false);
    settings.forEach(configuration::set);
    return configuration;
  }

  @BeforeEach
  void open() {
    open(configuration(place.regionServer()));
  }

  private void open(Configuration server) {
    close();
    TableSettings table =
        new TableSettings(Conflicts.ROW, Reads.SERVER, place.app().identity(), place.address());
    link = OracleLink.acquire(table, server, server, metrics);
    proofs = new OutcomeProofs(link, OracleSettings.trustsClients(server), metrics);
  }

  @AfterEach
  void close() {
    if (link != null) {
      link.release();
      link = null;
    }
  }

  /** A transaction and how it ended; without an outcome if it is open. */
  private record Ended(TransactionHandle handle, long outcome, long receipt) {
    static Ended of(TransactionHandle handle, CommitResult result) {
      long outcome = result.isCommitted() ? result.commitTimestamp() : Outcome.ABORTED;
      return new Ended(handle, outcome, result.receipt());
    }

    long start() {
      return handle.startTimestamp();
    }

    CleanupRequest request(long claimed, long proof) {
      return new CleanupRequest(ROW, start(), claimed, proof);
    }
  }

  private static Ended committed() {
    TransactionHandle begun = place.app().begin();
    return Ended.of(begun, place.app().commit(begun, begun.startTimestamp()));
  }

  private static Ended aborted() {
    TransactionHandle begun = place.app().begin();
    return Ended.of(begun, place.app().abort(begun));
  }

  private static Ended open(TransactionHandle begun) {
    return new Ended(begun, Outcome.UNKNOWN, 0);
  }

  private BitSet provedList(List<Adoption> list) throws IOException {
    return proofs.proved(list);
  }

  @Test
  void receiptsAreTakenWithoutAQuestion() throws IOException {
    List<Adoption> list = new ArrayList<>();
    for (Ended ended : List.of(committed(), aborted(), committed())) {
      CleanupRequest request = ended.request(ended.outcome, ended.receipt);
      assertSame(request, proofs.proved(request));
      list.add(new Adoption(ended.start(), ended.outcome, ended.receipt, 1));
    }
    assertEquals(3, provedList(list).cardinality());
    assertEquals(0, metrics.unprovedOutcomes.getCount());
  }

  @Test
  void withoutReceiptsTheOracleIsAskedOnceForEachTransaction() throws IOException {
    Ended one = committed();
    Ended two = aborted();
    for (int i = 0; i < 3; i++) {
      assertEquals(
          one.request(one.outcome, 0).toString(),
          proofs.proved(one.request(one.outcome, 0)).toString());
      assertEquals(1, metrics.unprovedOutcomes.getCount());
    }
    List<Adoption> list =
        List.of(
            new Adoption(one.start(), one.outcome, 1), new Adoption(two.start(), two.outcome, 1));
    assertEquals(2, provedList(list).cardinality());
    assertEquals(2, provedList(list).cardinality());
    assertEquals(2, metrics.unprovedOutcomes.getCount());
  }

  /** With a receipt of something else, or of nothing. */
  @Test
  void whatTheOracleDoesNotSayIsNotTaken() throws IOException {
    for (Ended ended : List.of(committed(), aborted(), open(place.app().begin()))) {
      Ended other = committed();
      for (long claimed : new long[] {ended.start() + 16, ended.start() + 160, Outcome.ABORTED}) {
        if (claimed == ended.outcome) {
          continue;
        }
        for (long proof : new long[] {0, 1, ended.receipt, other.receipt}) {
          long before = metrics.falseOutcomes.getCount();
          assertNull(proofs.proved(ended.request(claimed, proof)), () -> ended + " " + claimed);
          List<Adoption> list =
              List.of(
                  new Adoption(other.start(), other.outcome, other.receipt, 1),
                  new Adoption(ended.start(), claimed, proof, 1),
                  new Adoption(other.start(), other.outcome, 0, 1));
          BitSet proved = provedList(list);
          assertTrue(proved.get(0) && proved.get(2), () -> "others of the list: " + proved);
          assertFalse(proved.get(1));
          assertEquals(2, metrics.falseOutcomes.getCount() - before);
        }
      }
    }
  }

  @Test
  void whatWasNeverBegunHasNoOutcome() throws IOException {
    long never = 1L << 50;
    assertNull(proofs.proved(new CleanupRequest(ROW, never, Outcome.ABORTED)));
    Ended ended = committed();
    List<Adoption> list =
        List.of(
            new Adoption(never, Outcome.ABORTED, 1), new Adoption(ended.start(), ended.outcome, 1));
    assertEquals("{1}", provedList(list).toString());
  }

  /** Where its mark is still there it was aborted, whatever the client says. */
  @Test
  void whatTheOracleHasForgottenIsAMatterOfTheRow() throws IOException {
    Ended ended = committed();
    place.app().cleanedUp(ended.handle);
    List<CompletableFuture<TransactionHandle>> begun = new ArrayList<>();
    for (int i = 0; i < WINDOW + 1000; i++) {
      begun.add(place.app().beginAsync());
      if (begun.size() == 10_000) {
        begun.forEach(CompletableFuture::join);
        begun.clear();
      }
    }
    begun.forEach(CompletableFuture::join);
    CleanupRequest late = proofs.proved(ended.request(ended.outcome, 0));
    assertNotNull(late);
    assertEquals(Outcome.ABORTED, late.outcome());
    assertEquals(0, provedList(List.of(new Adoption(ended.start(), ended.outcome, 1))).length());
    assertEquals(0, metrics.falseOutcomes.getCount());
    CleanupRequest proved = ended.request(ended.outcome, ended.receipt);
    assertSame(proved, proofs.proved(proved), "a receipt is true for ever");
  }

  @Test
  void aRegionServerThatGetsNoKeysAsks() throws IOException {
    Configuration application = configuration(place.application());
    application.set(OracleSettings.ORACLE, place.address());
    open(application);
    Ended ended = committed();
    CleanupRequest request = ended.request(ended.outcome, ended.receipt);
    assertSame(request, proofs.proved(request));
    assertEquals(1, metrics.unprovedOutcomes.getCount());
    assertNull(proofs.proved(ended.request(Outcome.ABORTED, ended.receipt)));
  }

  @Test
  void aRegionServerTrustsItsClientsIfItIsTold() throws IOException {
    Configuration server = configuration(place.regionServer());
    server.set(OracleSettings.OUTCOMES, "trust");
    open(server);
    Ended ended = open(place.app().begin());
    assertEquals(Outcome.ABORTED, proofs.proved(ended.request(Outcome.ABORTED, 0)).outcome());
    assertEquals(1, provedList(List.of(new Adoption(ended.start(), 1L << 50, 1))).cardinality());
    assertTrue(OracleSettings.trustsClients(new Configuration(false)), "as everybody is trusted");
    server.set(OracleSettings.OUTCOMES, "maybe");
    IllegalArgumentException e =
        assertThrows(IllegalArgumentException.class, () -> OracleSettings.trustsClients(server));
    assertTrue(e.getMessage().contains("use prove or trust"), e.getMessage());
  }
}
