package io.retso.bench;

import io.retso.bench.report.BenchException;
import io.retso.bench.report.ReportJson;
import io.retso.bench.workload.SibenchBench;
import io.retso.bench.workload.SibenchReport;
import io.retso.bench.workload.SibenchText;
import io.retso.server.BuildVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code retso bench sibench}. */
@Command(
    name = "sibench",
    description = {
      "Measures serializable transactions beside snapshot isolation where queries read whole tables"
          + " that others change all the time (Cahill, 2009): half of the transactions update one"
          + " row, half look for the lowest value. Six minutes.",
      ""
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class SibenchCommand implements Callable<Integer> {
  private static final int SIZE_MAX = 1_000_000;
  private static final int CLIENTS_MAX = 1000;

  @Mixin private BenchOptions options;
  @Mixin private StoreOptions stores;

  @Option(
      names = "--sizes",
      split = ",",
      paramLabel = "ROWS",
      defaultValue = "10,100,1000,10000",
      description = "Sizes of the table. Default: ${DEFAULT-VALUE}")
  private List<Integer> sizes;

  @Option(
      names = "--clients",
      paramLabel = "N",
      defaultValue = "8",
      description = "Threads. Default: ${DEFAULT-VALUE}")
  private int clients;

  @Override
  public Integer call() throws InterruptedException {
    double measured = stores.seconds == null ? options.quick ? 0.5 : 5 : stores.seconds;
    double warmUp = stores.rampUp == null ? options.quick ? 0.1 : 2 : stores.rampUp;
    int repetitions = stores.rounds == null ? options.quick ? 4 : 5 : stores.rounds;
    options.checkRepetitions(measured, repetitions);
    options.check(warmUp >= 0 && warmUp <= 3600, "--ramp-up must be 0 to 3600");
    options.check(clients >= 1 && clients <= CLIENTS_MAX, "--clients must be 1 to " + CLIENTS_MAX);
    for (int size : sizes) {
      options.check(size >= 1 && size <= SIZE_MAX, "--sizes must be 1 to " + SIZE_MAX + " each");
    }
    SibenchBench.Settings settings =
        new SibenchBench.Settings(
            stores.plan(options),
            sizes,
            clients,
            SmallBankCommand.nanos(warmUp),
            SmallBankCommand.nanos(measured),
            repetitions,
            options.seed);
    BoundsCommand.quietClients();
    return options.run(() -> publish(settings));
  }

  private void publish(SibenchBench.Settings settings) throws BenchException, InterruptedException {
    SibenchReport report =
        new SibenchBench(settings, options.text(), System.console() != null)
            .run(BuildVersion.text(), options.arguments());
    options.text().println(SibenchText.of(report));
    Path json = options.out.resolve("sibench.json");
    Path figure = options.out.resolve("sibench.svg");
    try {
      Files.createDirectories(options.out);
      ReportJson.write(report, json);
      Files.writeString(figure, SibenchText.figure(report));
    } catch (IOException e) {
      throw options.cannotWrite(e);
    }
    options.text().println("  figure: " + figure);
    options.text().println("  raw figures: " + json);
    options.text().flush();
    if (!report.failures().isEmpty()) {
      throw new BenchException(
          report.failures().size() + " runs are wrong, as said above. Please report it.");
    }
  }
}
