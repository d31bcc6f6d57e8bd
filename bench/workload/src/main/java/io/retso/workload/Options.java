package io.retso.workload;

/**
 * How a transaction begins.
 *
 * @param name of its program, for metrics and explanations
 * @param readOnly whether it will neither write nor lock
 * @param deferred whether it only reads, is serializable, and rather waits than lacks what was
 *     committed before or is refused
 */
public record Options(String name, Isolation isolation, boolean readOnly, boolean deferred) {
  /** A transaction that fills or audits tables, while nothing else runs. */
  public static final Options ALONE = new Options("alone", Isolation.SNAPSHOT, false);

  /** A reader that waits for a snapshot with all that was committed before. */
  public static final Options DEFERRED =
      new Options("deferred", Isolation.SERIALIZABLE, true, true);

  /** Checks what is asked for. */
  public Options {
    if (deferred && !(readOnly && isolation == Isolation.SERIALIZABLE)) {
      throw new IllegalArgumentException("only a serializable reader can be deferred");
    }
  }

  /** A transaction that does not wait. */
  public Options(String name, Isolation isolation, boolean readOnly) {
    this(name, isolation, readOnly, false);
  }
}
