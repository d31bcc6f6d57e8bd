package io.retso.bench.options;

import io.retso.bench.hbase.TablesSettings;
import io.retso.bench.load.RowSource;
import picocli.CommandLine.Option;

/** How many rows the transactions of a benchmark draw theirs from. */
public final class RowsOption {
  private static final long OF_THE_PAPER = 20_000_000;
  private static final int OF_TABLES = 100_000;

  @Option(
      names = "--rows",
      paramLabel = "COUNT",
      converter = CountConverter.class,
      description = "Rows from which transactions draw theirs. Default: 20M")
  private Long rows;

  /** How many, for a load of the oracle alone. */
  public long count(BenchOptions options) {
    long count = rows == null ? OF_THE_PAPER : rows;
    options.check(
        count >= 1 && count <= RowSource.ROWS_MAX, "--rows must be 1 to " + RowSource.ROWS_MAX);
    return count;
  }

  /** How many, for the tables of {@code --hbase}. */
  public int countOfTables(BenchOptions options) {
    long count = rows == null ? OF_TABLES : rows;
    options.check(
        count >= 1000 && count <= TablesSettings.ROWS_MAX,
        "--rows must be 1000 to " + TablesSettings.ROWS_MAX + " with --hbase");
    return (int) count;
  }
}
