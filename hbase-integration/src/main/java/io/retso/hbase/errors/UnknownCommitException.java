package io.retso.hbase.errors;

import io.retso.client.TransactionHandle;
import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.futures.Callbacks;
import io.retso.hbase.futures.Futures;
import io.retso.text.ErrorText;
import io.retso.text.Text;
import java.io.IOException;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * The oracle was asked to commit and no answer could be had: the transaction may or may not be
 * committed. {@link #resolve} finds out, or makes sure that it never will be; until then, running
 * the transaction again could apply it twice.
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class UnknownCommitException extends TransactionException {
  /** Asks the oracle. */
  @FunctionalInterface
  public interface Resolver {
    /** See {@link #resolveAsync}. */
    CompletableFuture<OptionalLong> resolve(TransactionHandle handle);
  }

  private static final long serialVersionUID = 1L;

  private final String handle;

  /** Null in another process, as it is not serialized. */
  private final transient Resolver resolver;

  /** The outcome of the transaction with this handle is unknown. */
  public UnknownCommitException(TransactionHandle handle, Throwable cause, Resolver resolver) {
    super(
        Category.UNKNOWN_OUTCOME,
        Text.of(
            "transaction %s may or may not be committed (%s); call resolve() of this exception, or"
                + " TransactionManager.resolve with its handle(), to learn it, and do not run it"
                + " again before",
            handle.startTimestamp(), ErrorText.of(cause)),
        cause);
    this.handle = handle.text();
    this.resolver = resolver;
  }

  /** The start timestamp of the transaction in question. */
  public long startTimestamp() {
    return TransactionHandle.parse(handle).startTimestamp();
  }

  /**
   * What {@link TransactionManager#resolve} takes, in any process: see {@link Transaction#handle}.
   */
  public String handle() {
    return handle;
  }

  /**
   * Asks the oracle: the transaction is committed, or from now on never will be. May be called
   * again if it fails.
   *
   * @return its commit timestamp, or empty if it is aborted
   * @throws UnknownCommitException if the oracle does not answer, or no longer remembers
   * @throws IllegalStateException if the transaction manager is closed: {@link
   *     TransactionManager#resolve} of another one will do
   */
  public OptionalLong resolve() throws IOException {
    Callbacks.checkMayBlock();
    return Futures.await(resolution());
  }

  /**
   * Like {@link #resolve}; the future fails. {@link TransactionManager} says on which threads it
   * completes.
   */
  public CompletableFuture<OptionalLong> resolveAsync() {
    return Callbacks.leave(resolution());
  }

  private CompletableFuture<OptionalLong> resolution() {
    if (resolver == null) {
      throw new IllegalStateException(
          "this exception came from another process: call TransactionManager.resolve with its"
              + " handle() instead");
    }
    return resolver.resolve(TransactionHandle.parse(handle));
  }
}
