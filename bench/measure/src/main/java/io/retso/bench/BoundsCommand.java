package io.retso.bench;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import io.retso.bench.bounds.BoundsBench;
import io.retso.bench.options.BenchOptions;
import io.retso.hbase.table.TableRisks;
import io.retso.workload.IsolationOption;
import java.util.concurrent.Callable;
import org.slf4j.LoggerFactory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code retso bench bounds}. */
@Command(
    name = "bounds",
    description = {
      "Updates one row of a transactional table 100,000 times while 1,000 clients die, and sees"
          + " whether anything grows. With --quick a tenth. Minutes.",
      ""
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class BoundsCommand implements Callable<Integer> {
  @Mixin private BenchOptions options;
  @Mixin private IsolationOption isolation;

  @Override
  public Integer call() throws InterruptedException {
    quietClients();
    int updates = options.quick ? 10_000 : 100_000;
    int deaths = options.quick ? 100 : 1_000;
    return options.judge(
        "bounds",
        () ->
            new BoundsBench(updates, deaths, isolation.level(), options.out, options.text()).run());
  }

  /** What the clients in this process say of their connections would disturb the view. */
  static void quietClients() {
    ((Logger) LoggerFactory.getLogger("io.retso")).setLevel(Level.WARN);
    // Its HBase is gone after the run: no power failure is meant to be survived.
    ((Logger) LoggerFactory.getLogger(TableRisks.class)).setLevel(Level.ERROR);
  }
}
