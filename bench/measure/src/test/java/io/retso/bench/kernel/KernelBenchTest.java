package io.retso.bench.kernel;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.bench.load.RowSource;
import io.retso.oracle.Changes;
import io.retso.oracle.StatusOracle;
import io.retso.protocol.Timestamps;
import org.junit.jupiter.api.Test;

class KernelBenchTest {
  private static StatusOracle oracle(long rows) {
    StatusOracle oracle = new StatusOracle(rows, 1 << 20, 1_000, Changes.NONE);
    oracle.replay().start(Timestamps.GAP);
    return oracle;
  }

  @Test
  void everyTransactionOfTheLoadIsDecidedByTheOracle() {
    StatusOracle oracle = oracle(1_000_000);
    Transactions load = new Transactions(oracle, new RowSource(1, 200_000), 1000);
    load.run(20_000);
    assertEquals(oracle.counters().begins - 1000, load.decided());
    assertEquals(oracle.counters().commits, load.committed());
    assertEquals(oracle.counters().commits, oracle.counters().cleanups);
    assertEquals(load.decided() - load.committed(), oracle.counters().conflicts);
    assertTrue(oracle.counters().conflicts > 0);
    assertTrue(load.takeNanos() > 0);
  }

  @Test
  void longLivedTransactionsAreAbortedFalselyWhereTheMapIsFarTooSmall() {
    StatusOracle small = oracle(10_000);
    Transactions others = new Transactions(small, new RowSource(1, 10_000_000), 1000);
    LongLived probes = new LongLived(small, others, new RowSource(2, 10_000_000), 20_000);
    probes.run(1_000);
    assertTrue(probes.falseAborts() > probes.decided() / 2);

    StatusOracle large = oracle(4_000_000);
    others = new Transactions(large, new RowSource(1, 10_000_000), 1000);
    probes = new LongLived(large, others, new RowSource(2, 10_000_000), 20_000);
    probes.run(1_000);
    assertEquals(0, probes.falseAborts());
    assertTrue(probes.conflicts() > 0);
  }

  @Test
  void theLogInMemoryReplaysToWhatWasCommitted() throws Exception {
    Replay log = Replay.log(20_000, 1_000_000, 1, 1 << 20);
    StatusOracle oracle = oracle(1_000_000);
    Replay.Result result = log.replay(oracle);
    assertTrue(result.transactions() > 15_000 && result.transactions() <= 5 * 4096);
    assertTrue(result.bytes() > result.transactions() * 80);
    assertEquals(result.transactions(), log.replay(oracle(1_000_000)).transactions());
  }
}
