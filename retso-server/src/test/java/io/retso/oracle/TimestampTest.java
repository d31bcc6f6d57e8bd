package io.retso.oracle;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What the paper does not have: timestamps of readers, which are no transactions. */
class TimestampTest {
  private final List<String> log = new ArrayList<>();
  private final StatusOracle oracle = new StatusOracle(1000, 64, 100, new ChangesInWords(log));

  private long commit(long start, long row) {
    CommitBatch batch = new CommitBatch(16);
    batch.rows()[batch.add(start, false, 1)] = row;
    oracle.commit(batch);
    return batch.outcome(0);
  }

  @Test
  void itIsNobodysAndSeparatesCommits() {
    long start = oracle.begin(1);
    long before = commit(oracle.begin(1), 2);
    long timestamp = oracle.timestamp();
    assertEquals(before + Timestamps.GAP, timestamp);
    assertEquals(timestamp + Timestamps.GAP, commit(start, 1));
    assertEquals(Outcome.INVALID_TIMESTAMP, commit(timestamp, 1));
    assertEquals(Outcome.INVALID_TIMESTAMP, oracle.abort(timestamp));
    assertEquals(Outcome.INVALID_TIMESTAMP, oracle.cleaned(timestamp));
    assertEquals(Outcome.INVALID_TIMESTAMP, oracle.swept(timestamp));
    assertEquals(Outcome.ABORTED, oracle.status(timestamp, oracle.begin(1)));
    assertEquals(
        timestamp + Timestamps.GAP, oracle.status(start, timestamp), "a reader like others");
  }

  @Test
  void itHoldsNoWatermarkAndNothingIsLogged() {
    oracle.cleaned(oracle.begin(1));
    log.clear();
    long timestamp = oracle.timestamp();
    assertEquals(List.of(), log);
    assertEquals(timestamp + Timestamps.GAP, oracle.lowWatermark());
    assertEquals(List.of("watermark " + oracle.lowWatermark()), log, "once, before it is answered");
    oracle.cleaned(oracle.begin(1));
    log.clear();
    oracle.lowWatermark();
    assertEquals(List.of(), log, "it passed no other timestamp of a reader");
  }

  /** The log may lack what a deposed server's answers rest on; they have not left. */
  @Test
  void anOracleThatIsEmptiedMayHaveALowerWatermark() {
    oracle.cleaned(oracle.begin(1));
    assertEquals(2 * Timestamps.GAP, oracle.lowWatermark());
    oracle.replay().restart();
    oracle.replay().end();
    assertEquals(Timestamps.GAP, oracle.lowWatermark());
  }

  @Test
  void onlyThoseThatWereAskedForAreCounted() {
    oracle.timestamp();
    oracle.pass(5);
    oracle.timestamp();
    assertEquals(2, oracle.counters().timestamps);
  }
}
