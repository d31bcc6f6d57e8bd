package io.retso.bench.attack;

import io.retso.client.CommitResult;
import io.retso.client.OracleClient;
import io.retso.client.TransactionHandle;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;

/**
 * Transactions of the good client that are open during a whole measurement: an attack must not make
 * the oracle forget what it needs to commit them. Their rows are theirs alone, so any abort is one
 * for want of memory. Of one thread.
 */
final class LongTransactions implements AutoCloseable {
  private static final int TRANSACTIONS = 200;
  private static final int ROWS = 10;

  private final OracleClient oracle;
  private final List<TransactionHandle> starts = new ArrayList<>();

  /**
   * Begins them.
   *
   * @param server the oracle
   */
  LongTransactions(InetSocketAddress server) {
    String address = server.getAddress().getHostAddress() + ":" + server.getPort();
    oracle = OracleClient.builder().address(address).name("long").build();
    List<CompletableFuture<TransactionHandle>> begins = new ArrayList<>();
    for (int i = 0; i < TRANSACTIONS; i++) {
      begins.add(oracle.beginAsync());
    }
    begins.forEach(begin -> starts.add(begin.join()));
  }

  /** Commits them, and lets go of the oracle; returns the share that was aborted. */
  double commit(long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<CompletableFuture<CommitResult>> commits = new ArrayList<>();
    for (TransactionHandle start : starts) {
      commits.add(oracle.commitAsync(start, random.longs(ROWS).toArray()));
    }
    List<CompletableFuture<Void>> cleanups = new ArrayList<>();
    int aborted = 0;
    for (int i = 0; i < commits.size(); i++) {
      boolean committed = commits.get(i).join().isCommitted();
      aborted += committed ? 0 : 1;
      if (committed) {
        cleanups.add(oracle.cleanedUpAsync(starts.get(i)));
      }
    }
    cleanups.forEach(CompletableFuture::join);
    return (double) aborted / starts.size();
  }

  @Override
  public void close() {
    oracle.close();
  }
}
