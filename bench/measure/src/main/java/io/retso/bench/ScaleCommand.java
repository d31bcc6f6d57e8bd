package io.retso.bench;

import io.retso.bench.experiments.ExperimentPlan;
import io.retso.bench.experiments.LongRunBench;
import io.retso.bench.experiments.ScaleBench;
import io.retso.bench.options.BenchOptions;
import io.retso.bench.options.ContinueOption;
import io.retso.bench.options.CountConverter;
import io.retso.workload.smallbank.ScaledBank;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code retso bench smallbank-scale}. */
@Command(
    name = "smallbank-scale",
    description = {
      "Measures BenchBase's SmallBank with few customers and with many, at both levels: committed"
          + " programs, times, and refusals by reason. After each run the money must add up."
          + " With --minutes, serializable programs run for long instead, and memory must not grow."
          + " It says beforehand how long it takes.",
      ""
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class ScaleCommand implements Callable<Integer> {
  private static final int MINUTES_MAX = 1440;
  private static final double SCALE_MAX = 1000;
  private static final double RATE_MAX = 1e6;

  @Mixin private BenchOptions options;
  @Mixin private StoreOptions stores;
  @Mixin private ContinueOption goOn;

  @Option(
      names = "--scales",
      split = ",",
      paramLabel = "SF",
      description =
          "Customers, as multiples of --accounts, ascending. Default: 0.1,0.5,1,5, with --quick"
              + " 0.1,1")
  private List<Double> scales;

  @Option(
      names = "--accounts",
      paramLabel = "COUNT",
      converter = CountConverter.class,
      description = "Customers of scale 1; 1,000,000 in BenchBase. Default: 10k, with --quick 1k")
  private Long accounts;

  @Option(
      names = "--workers",
      paramLabel = "N",
      description = "Threads that run programs. Default: 96, with --quick 16")
  private Integer workers;

  @Option(
      names = "--rate",
      paramLabel = "N",
      converter = CountConverter.class,
      description =
          "Programs a second that all workers begin together; times count from the instants at"
              + " which they were due. Default: as many as the store takes")
  private Long rate;

  @Option(
      names = "--minutes",
      paramLabel = "M",
      description =
          "Instead, one run of so many minutes on each store, with the last of --scales: memory of"
              + " all processes over time")
  private Integer minutes;

  @Override
  public Integer call() throws InterruptedException {
    List<Integer> customers = customers();
    int threads = workers == null ? options.quick ? 16 : 96 : workers;
    options.check(
        threads >= 1 && threads <= StoreOptions.CLIENTS_MAX,
        "--workers must be 1 to " + StoreOptions.CLIENTS_MAX);
    options.check(rate == null || rate >= 1 && rate <= RATE_MAX, "--rate must be 1 to 1M");
    options.check(
        minutes == null || minutes >= 1 && minutes <= MINUTES_MAX,
        "--minutes must be 1 to " + MINUTES_MAX);
    ExperimentPlan plan =
        stores
            .experiment(
                options,
                threads,
                stores.lengths(
                    options,
                    options.quick ? 0.3 : 2,
                    options.quick ? 1.5 : 5,
                    options.quick ? 2 : 6))
            .at(rate == null ? 0 : rate)
            .continued(goOn.isGiven);
    return run(plan, customers);
  }

  private List<Integer> customers() {
    List<Double> all =
        scales == null ? options.quick ? List.of(0.1, 1.0) : List.of(0.1, 0.5, 1.0, 5.0) : scales;
    long base = accounts == null ? options.quick ? 1000 : 10_000 : accounts;
    for (double scale : all) {
      double customers = scale * base;
      options.check(
          scale > 0
              && scale <= SCALE_MAX
              && customers >= ScaledBank.CUSTOMERS_MIN
              && customers <= ScaledBank.CUSTOMERS_MAX,
          "--scales must be above 0 and at most 1000, and each of them times --accounts must be 2"
              + " to 50M");
    }
    List<Integer> customers = all.stream().map(scale -> (int) Math.round(scale * base)).toList();
    options.check(
        customers.equals(customers.stream().distinct().sorted().toList()),
        "--scales must be ascending, and differ by a customer at the least");
    return customers;
  }

  private int run(ExperimentPlan plan, List<Integer> customers) throws InterruptedException {
    if (minutes == null) {
      ScaleBench.Settings settings = new ScaleBench.Settings(plan, customers);
      return stores.run(
          options,
          settings.length(),
          (out, terminal) -> new ScaleBench(settings, out, terminal)::run);
    }
    LongRunBench.Settings settings =
        new LongRunBench.Settings(
            plan.measuring(Duration.ofMinutes(minutes).dividedBy(LongRunBench.Settings.POINTS)),
            customers.get(customers.size() - 1),
            LongRunBench.Settings.POINTS);
    return stores.run(
        options,
        settings.length(),
        (out, terminal) -> new LongRunBench(settings, out, terminal)::run);
  }
}
