package io.retso.verify.clients;

import io.retso.client.OracleClient;
import io.retso.client.OracleClientBuilder;
import io.retso.client.OracleException;
import io.retso.hbase.layout.AdoptionRequest;
import io.retso.hbase.layout.AdoptionRequest.Adoption;
import io.retso.hbase.layout.CleanupRequest;
import io.retso.hbase.layout.Outcome;
import io.retso.hbase.layout.TableSettings;
import io.retso.hbase.options.Reads;
import io.retso.protocol.Timestamps;
import io.retso.verify.lists.Findings;
import io.retso.verify.lists.ListKey;
import java.io.IOException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import org.apache.hadoop.hbase.TableName;
import org.apache.hadoop.hbase.client.Connection;
import org.apache.hadoop.hbase.client.RegionLocator;
import org.apache.hadoop.hbase.client.Row;
import org.apache.hadoop.hbase.client.Table;

/**
 * A user that may write the tables, and tells their regions how transactions of others ended, which
 * it makes up: row by row, and in lists. Regions that prove outcomes must not believe it; what the
 * others see is judged as ever. Runs until it is to stop.
 */
public final class FalseWitness implements Runnable {
  private static final int PAUSE_MILLIS = 100;

  /** Transactions in a list: of the youngest, of which some are open. */
  private static final int LIST = 64;

  /** No timestamp is that far ahead. */
  private static final long AHEAD = 1L << 50;

  private final Connection hbase;
  private final OracleClientBuilder builder;
  private final List<TableName> tables;
  private final Supplier<int[]> generations;
  private final SplittableRandom random;
  private final Findings findings;
  private final StopSignal stop;
  private final LongAdder refused = new LongAdder();

  /**
   * A witness that says nothing yet.
   *
   * @param hbase whose user may write the tables
   * @param builder of a client of the oracle, which tells it where the timestamps are
   * @param generations of the lists that are in use, by group
   */
  public FalseWitness(
      Connection hbase,
      OracleClientBuilder builder,
      List<TableName> tables,
      Supplier<int[]> generations,
      long seed,
      Findings findings,
      StopSignal stop) {
    this.hbase = hbase;
    this.builder = builder;
    this.tables = List.copyOf(tables);
    this.generations = generations;
    this.random = new SplittableRandom(seed);
    this.findings = findings;
    this.stop = stop;
  }

  /** Outcomes that regions did not believe so far. */
  public long refused() {
    return refused.sum();
  }

  @Override
  public void run() {
    try (OracleClient oracle = builder.build()) {
      while (!stop.isSet()) {
        try {
          testify(tables.get(random.nextInt(tables.size())), oracle.timestamp());
        } catch (OracleException | IOException e) {
          // No answer, as servers end and regions move: nothing is said of what is believed.
        }
        stop.await(PAUSE_MILLIS);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private void testify(TableName name, long now) throws IOException, InterruptedException {
    try (Table table = hbase.getTable(name);
        RegionLocator regions = hbase.getRegionLocator(name)) {
      TableSettings settings = TableSettings.of(table.getDescriptor());
      if (settings.reads() != Reads.SERVER) {
        return; // no coprocessor: there it would be a plain writer of cells that say nothing
      }
      byte[][] starts = regions.getStartKeys();
      byte[] row = AdoptionRequest.firstRow(starts[random.nextInt(starts.length)]);
      AdoptionRequest list = new AdoptionRequest(row, adoptions(now));
      List<Row> said = new ArrayList<>(List.of(list.toPut(settings.fingerprint())));
      for (Adoption adoption : list.adoptions()) {
        said.add(
            new CleanupRequest(usedRow(), adoption.start(), adoption.outcome(), adoption.receipt())
                .toPut(settings.fingerprint()));
      }
      Object[] answers = new Object[said.size()];
      try {
        table.batch(said, answers);
      } catch (IOException e) {
        // Some are refused: the answers say which.
      }
      judge(list, answers);
    }
  }

  private byte[] usedRow() {
    int group = random.nextInt(ListKey.GROUPS);
    int row = random.nextInt(ListKey.ROWS);
    return new ListKey(0, group, generations.get()[group], row, 0).rowKey();
  }

  /** With receipts that are missing or made up. */
  private List<Adoption> adoptions(long now) {
    List<Adoption> adoptions = new ArrayList<>();
    for (int i = 1; i <= LIST; i++) {
      long start = now - ((long) i << Timestamps.GAP_BITS);
      long outcome =
          random.nextBoolean()
              ? Outcome.ABORTED
              : start + AHEAD + ((long) random.nextInt() << Timestamps.GAP_BITS & AHEAD - 1);
      long receipt = random.nextBoolean() ? 0 : random.nextLong();
      adoptions.add(new Adoption(start, outcome, receipt, 1 + random.nextInt(3)));
    }
    return adoptions;
  }

  private void judge(AdoptionRequest list, Object[] answers) {
    BitSet adopted = list.adopted(answers[0]);
    for (int i = 0; adopted != null && i < list.adoptions().size(); i++) {
      Adoption adoption = list.adoptions().get(i);
      if (!adopted.get(i)) {
        refused.increment();
      } else if (Outcome.isCommitted(adoption.outcome())) {
        findings.violation("a region adopted an outcome that was made up: " + adoption);
      }
    }
  }
}
