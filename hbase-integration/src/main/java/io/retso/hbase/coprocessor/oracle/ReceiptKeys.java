package io.retso.hbase.coprocessor.oracle;

import io.retso.client.OracleException;
import io.retso.client.Receipts;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The keys of receipts that the oracle gives to this region server: asked for when the first
 * receipt comes, and again, at most each 10 s, when one comes that they do not prove, as the oracle
 * may have another secret by then. Thread-safe.
 */
final class ReceiptKeys {
  static final long PAUSE_NANOS = TimeUnit.SECONDS.toNanos(10);

  private static final Logger LOG = LoggerFactory.getLogger(ReceiptKeys.class);

  /** Waits for an answer of the oracle. */
  @FunctionalInterface
  interface Wait {
    Receipts on(CompletableFuture<Receipts> answer) throws IOException;
  }

  private final Supplier<CompletableFuture<Receipts>> oracle;
  private final Wait wait;
  private final LongSupplier nanoClock;

  /** Null before the first question. */
  private CompletableFuture<Receipts> asked;

  private long askedAt;

  ReceiptKeys(Supplier<CompletableFuture<Receipts>> oracle, Wait wait, LongSupplier nanoClock) {
    this.oracle = oracle;
    this.wait = wait;
    this.nanoClock = nanoClock;
  }

  /**
   * Whether a receipt is that of an outcome.
   *
   * @throws IOException if the keys are not known, and the oracle does not answer
   */
  boolean prove(long start, long outcome, long receipt) throws IOException {
    CompletableFuture<Receipts> known = asked(null);
    return wait.on(known).prove(start, outcome, receipt)
        || wait.on(asked(known)).prove(start, outcome, receipt);
  }

  /**
   * The last question, or a new one.
   *
   * @param insufficient one whose answer does not prove a receipt; null for none
   */
  private synchronized CompletableFuture<Receipts> asked(CompletableFuture<Receipts> insufficient) {
    boolean isWanted =
        asked == null
            || asked.isCompletedExceptionally()
            || asked == insufficient && nanoClock.getAsLong() - askedAt >= PAUSE_NANOS;
    if (isWanted) {
      askedAt = nanoClock.getAsLong();
      asked = oracle.get().exceptionally(ReceiptKeys::withoutKeys);
    }
    return asked;
  }

  /** All outcomes are asked for then. */
  private static Receipts withoutKeys(Throwable failure) {
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof OracleException refused
        && refused.category() == OracleException.Category.NOT_PERMITTED) {
      LOG.debug("outcomes are asked for one by one", refused);
      return Receipts.of(new long[0]);
    }
    throw new CompletionException(cause);
  }
}
