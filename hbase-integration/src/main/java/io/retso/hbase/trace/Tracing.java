package io.retso.hbase.trace;

import io.retso.client.OracleMembers;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Makes the spans of one transaction manager. OpenTelemetry may be missing: no signature of a
 * public class names it. Thread-safe.
 */
public interface Tracing {
  /** Makes none. */
  Tracing NONE = new Tracing() {};

  /**
   * Spans for the SDK of this process, which HBase's client uses, too; {@link #NONE} if there is
   * none. As with HBase's client, an SDK that is installed later is not seen.
   *
   * @param members what the oracle's client knows now of the members
   */
  static Tracing ofProcess(Supplier<OracleMembers> members) {
    return Library.IS_PRESENT ? OpenTelemetryTracing.ofProcess(members) : NONE;
  }

  /**
   * A call of {@code run} or its like begins, on this thread. To be {@link TransactionTrace#close
   * closed}.
   *
   * @param name from the options; may be empty
   * @param isolation of its transactions
   */
  default TransactionTrace run(String name, String isolation, boolean isReadOnly) {
    return TransactionTrace.NONE;
  }

  /** A transaction begins that its application ends; otherwise like {@link #run}. */
  default TransactionTrace transaction(String name, String isolation, boolean isReadOnly) {
    return TransactionTrace.NONE;
  }

  /**
   * Rows of decided transactions are about to be cleaned up, in common requests to HBase: a trace
   * of its own, as it belongs to several others.
   *
   * @param commits where they were decided, as far as that is known
   */
  default BackgroundTrace cleanup(int rows, Supplier<Stream<TraceContext>> commits) {
    return BackgroundTrace.NONE;
  }

  /** A sweep begins, on this thread. */
  default BackgroundTrace sweep() {
    return BackgroundTrace.NONE;
  }
}
