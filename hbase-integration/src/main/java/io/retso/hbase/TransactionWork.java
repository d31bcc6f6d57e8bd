package io.retso.hbase;

import java.io.IOException;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * Work to be done in a transaction: what {@link TransactionManager#run run}, {@link
 * TransactionManager#read read}, and their asynchronous twins do, perhaps several times. Nothing
 * but the transaction may remember an attempt.
 *
 * @param <X> {@link Transaction}, or {@link ReadTransaction} for work that only reads
 * @param <T> its result; for the asynchronous twins a {@code CompletableFuture} of that. Work
 *     without a result returns null
 * @since 0.1
 */
@FunctionalInterface
@InterfaceAudience.Public
public interface TransactionWork<X extends ReadTransaction, T> {
  /** Reads and writes; an exception rolls the transaction back. */
  T in(X tx) throws IOException;
}
