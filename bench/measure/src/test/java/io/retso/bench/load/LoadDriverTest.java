package io.retso.bench.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.bench.load.LoadPlan.Work;
import io.retso.cluster.InProcessServer;
import io.retso.protocol.Handshake.Mode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.concurrent.ExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class LoadDriverTest {
  private static final int UNCLEANED_MAX = 2_000;

  private InProcessServer server;
  private LoadDriver driver;

  @BeforeEach
  void start() throws IOException {
    server = new InProcessServer(1_000_000, 1 << 20, UNCLEANED_MAX);
    driver = new LoadDriver();
  }

  @AfterEach
  void stop() {
    driver.close();
    server.close();
  }

  private static LoadPlan plan(
      Mode mode, Work work, int clients, int outstanding, long rows, boolean cleanup, double rate) {
    return new LoadPlan(
        mode,
        work,
        clients,
        outstanding,
        rows,
        1,
        cleanup,
        rate,
        Duration.ofMillis(100),
        Duration.ofMillis(300));
  }

  /** Runs a plan, and again for longer if the machine was too busy to complete anything. */
  private LoadResult run(LoadPlan plan) throws ExecutionException, InterruptedException {
    LoadResult result = driver.start(server.address(), plan).result().get();
    return result.completed() > 0 ? result : run(longer(plan));
  }

  private static LoadPlan longer(LoadPlan plan) {
    return new LoadPlan(
        plan.mode(),
        plan.work(),
        plan.clients(),
        plan.outstanding(),
        plan.rows(),
        plan.seed(),
        plan.cleanup(),
        plan.ratePerSecond(),
        plan.warmUp(),
        plan.measured().multipliedBy(2));
  }

  @Test
  void everyTransactionIsDecidedAndCounted() throws Exception {
    LoadResult result = run(plan(Mode.ORACLE, Work.TRANSACTIONS, 3, 100, 1_000_000, true, 0));
    assertEquals(result.completed(), result.committed() + result.conflicts() + result.tooOld());
    assertEquals(0, result.refused(), "more were cleaned up than the server's limit");
    assertEquals(result.completed(), result.transactionNanos().getTotalCount());
    assertEquals(result.completed(), result.commitNanos().getTotalCount());
    assertTrue(result.beginNanos().getTotalCount() > 0);
    assertTrue(result.seconds() >= 0.3);
    assertTrue(result.transactionNanos().getMean() > result.commitNanos().getMean());
  }

  @Test
  void moreOutstandingThanFitIntoAFrame() throws Exception {
    LoadPlan plan = plan(Mode.ORACLE, Work.TRANSACTIONS, 1, 10_000, 1_000_000, true, 0);
    Progress progress = driver.start(server.address(), plan);
    LoadResult result = progress.result().get();
    assertTrue(progress.completed() >= 10_000);
    assertEquals(
        result.completed(),
        result.committed() + result.conflicts() + result.tooOld() + result.refused());
  }

  @Test
  void fewRowsConflict() throws Exception {
    LoadResult result = run(plan(Mode.ORACLE, Work.TRANSACTIONS, 2, 100, 50, true, 0));
    assertTrue(result.conflicts() > result.committed());
    assertTrue(result.abortShare() > 0.5);
  }

  @Test
  void withoutCleanupTheServerRefuses() throws Exception {
    LoadPlan plan = plan(Mode.ORACLE, Work.TRANSACTIONS, 1, 1000, 1_000_000, false, 0);
    LoadResult result = run(plan);
    while (result.refused() == 0) { // each run leaves its commits behind
      result = run(plan);
    }
    assertEquals(result.completed(), result.committed() + result.conflicts() + result.refused());
  }

  /** Where all read and write few rows, some are refused that only read what others wrote. */
  @Test
  void readsAreCertifiedIfThatIsAsked() throws Exception {
    LoadResult plain = run(plan(Mode.ORACLE, Work.READS, 2, 100, 1_000_000, true, 0));
    assertEquals(plain.completed(), plain.committed() + plain.conflicts());
    LoadResult certified = run(plan(Mode.ORACLE, Work.CERTIFIED_READS, 2, 100, 2000, true, 0));
    assertEquals(certified.completed(), certified.committed() + certified.conflicts());
    LoadResult snapshot = run(plan(Mode.ORACLE, Work.READS, 2, 100, 2000, true, 0));
    assertTrue(
        certified.abortShare() > 1.5 * snapshot.abortShare(),
        certified.abortShare() + " certified, " + snapshot.abortShare() + " not");
  }

  @Test
  void startTimestampsAlone() throws Exception {
    LoadResult result = run(plan(Mode.ORACLE, Work.BEGINS, 1, 1, 1_000_000, true, 0));
    assertEquals(result.completed(), result.beginNanos().getTotalCount());
    assertEquals(0, result.transactionNanos().getTotalCount());
  }

  @Test
  void echoAnswersTheSameFrames() throws Exception {
    LoadResult result = run(plan(Mode.ECHO, Work.TRANSACTIONS, 2, 100, 1_000_000, true, 0));
    assertEquals(result.completed(), result.committed());
  }

  @Test
  void anOpenLoopBeginsWhatIsDue() throws Exception {
    LoadResult result =
        run(plan(Mode.ORACLE, Work.TRANSACTIONS, 3, 100_000, 1_000_000, true, 20_000));
    assertEquals(result.completed(), result.transactionNanos().getTotalCount());
  }

  @Test
  void aSlowOpenLoopBeginsOneByOne() throws Exception {
    LoadResult result = run(plan(Mode.ORACLE, Work.TRANSACTIONS, 2, 100, 1_000_000, true, 100));
    assertEquals(result.completed(), result.committed() + result.conflicts());
  }

  @Test
  void progressShowsWhatIsCompleted() throws Exception {
    LoadPlan plan = plan(Mode.ORACLE, Work.TRANSACTIONS, 1, 10, 1_000_000, true, 0);
    Progress progress = driver.start(server.address(), plan);
    progress.measuring().get();
    progress.measured().get();
    LoadResult result = progress.result().get();
    assertTrue(progress.completed() >= result.completed());
    assertTrue(progress.completed() == 0 || progress.latencyNanosTotal() > 0);
  }

  @Test
  void tellsWhenNobodyListens() throws Exception {
    InetSocketAddress nobody;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      nobody = (InetSocketAddress) socket.getLocalSocketAddress();
    }
    LoadPlan plan = plan(Mode.ORACLE, Work.TRANSACTIONS, 1, 1, 1000, true, 0);
    ExecutionException failure =
        assertThrows(ExecutionException.class, () -> driver.start(nobody, plan).result().get());
    assertTrue(failure.getCause() instanceof LoadException);
    assertTrue(failure.getCause().getMessage().contains("is a server listening there?"));
  }

  @Test
  void tellsWhenTheServerGoes() throws Exception {
    LoadPlan plan =
        new LoadPlan(
            Mode.ORACLE,
            Work.TRANSACTIONS,
            1,
            10,
            1000,
            1,
            true,
            0,
            Duration.ZERO,
            Duration.ofMinutes(10));
    Progress progress = driver.start(server.address(), plan);
    progress.measuring().get();
    server.close();
    assertThrows(ExecutionException.class, () -> progress.result().get());
  }

  @Test
  void refusesPlansOfImpossibleSize() {
    assertThrows(
        IllegalArgumentException.class, () -> plan(Mode.ORACLE, Work.BEGINS, 0, 1, 1000, true, 0));
    assertThrows(
        IllegalArgumentException.class, () -> plan(Mode.ORACLE, Work.BEGINS, 1, 0, 1000, true, 0));
  }
}
