package io.retso.workload;

/**
 * How a transaction begins.
 *
 * @param name of its program, for metrics and explanations
 * @param readOnly whether it will neither write nor lock
 */
public record Options(String name, Isolation isolation, boolean readOnly) {
  /** A transaction that fills or audits tables, while nothing else runs. */
  public static final Options ALONE = new Options("alone", Isolation.SNAPSHOT, false);
}
