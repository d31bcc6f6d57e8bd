package io.retso.bench;

import io.retso.bench.options.BenchOptions;
import io.retso.bench.options.ContinueOption;
import io.retso.bench.options.JudgeOption;
import io.retso.bench.workload.SmallBankBench;
import io.retso.bench.workload.SmallBankSettings;
import io.retso.workload.smallbank.Mix;
import io.retso.workload.smallbank.Strategy;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code retso bench smallbank}. */
@Command(
    name = "smallbank",
    description = {
      "Measures what it costs to make the programs of a small bank serializable: by additional"
          + " writes and locks, by validated reads, by the isolation level; and counts the"
          + " anomalies of all that ran. Draws Figures 4 to 9 of Alomari et al. (2008). Three"
          + " quarters of an hour; as in that paper with --seconds 60 --ramp-up 30 --rounds 5.",
      ""
    },
    mixinStandardHelpOptions = true,
    sortOptions = false)
final class SmallBankCommand implements Callable<Integer> {
  private static final int CLIENTS_MAX = 1000;
  private static final int QUICK_CUSTOMERS = 4000;

  @Mixin private BenchOptions options;
  @Mixin private StoreOptions stores;
  @Mixin private JudgeOption judge;
  @Mixin private ContinueOption goOn;

  @Parameters(
      arity = "0..1",
      paramLabel = "REGEXP",
      defaultValue = "",
      description = "Only strategies whose names have a match; SI is always there.")
  private String names;

  @Option(
      names = "--clients",
      split = ",",
      paramLabel = "N",
      description = "Multiprogramming levels. Default: 1,5,10,20,30, with --quick 1,20")
  private List<Integer> clients;

  @Option(
      names = "--mix",
      split = ",",
      paramLabel = "HOT:PERCENT",
      defaultValue = "1000:20,10:60",
      description =
          "Customers of the hot spot, with which nine of ten transactions deal, and share of Bal."
              + " Default: ${DEFAULT-VALUE}")
  private List<String> mixes;

  @Option(
      names = "--customers",
      paramLabel = "N",
      description = "All of them. Default: 18,000, with --quick 4,000")
  private Integer customers;

  @Override
  public Integer call() throws InterruptedException {
    SmallBankSettings settings = settings();
    return stores.run(
        options, (out, terminal) -> new SmallBankBench(settings, out, terminal, goOn.isGiven)::run);
  }

  private SmallBankSettings settings() {
    StoreOptions.Lengths lengths =
        stores.lengths(
            options, options.quick ? 0.2 : 2, options.quick ? 0.6 : 5, options.quick ? 1 : 3);
    List<Integer> levels =
        clients == null ? options.quick ? List.of(1, 20) : List.of(1, 5, 10, 20, 30) : clients;
    for (int level : levels) {
      options.check(
          level >= 1 && level <= CLIENTS_MAX, "--clients must be 1 to " + CLIENTS_MAX + " each");
    }
    List<String> labels = Arrays.stream(Strategy.values()).map(Strategy::label).toList();
    Pattern chosen = options.pattern("", names, "strategy", labels);
    return new SmallBankSettings(
        stores.plan(options),
        mixes.stream().map(this::mix).toList(),
        Arrays.stream(Strategy.values())
            .filter(s -> s == Strategy.SI || chosen.matcher(s.label()).find())
            .toList(),
        levels,
        lengths.warmUp(),
        lengths.measured(),
        lengths.rounds(),
        judge.most(options),
        options.seed);
  }

  static int customers(boolean quick) {
    return quick ? QUICK_CUSTOMERS : Mix.CUSTOMERS;
  }

  private Mix mix(String text) {
    options.check(text.matches("\\d{1,7}:\\d{1,3}"), "--mix " + text + " is not HOT:PERCENT");
    String[] parts = text.split(":");
    int hot = Integer.parseInt(parts[0]);
    int percent = Integer.parseInt(parts[1]);
    int all = customers == null ? customers(options.quick) : customers;
    options.check(
        hot >= 2 && all >= hot + 2 && percent <= 100,
        "--mix " + text + ": of --customers 2 at least are hot and 2 are not, and 100 % are most");
    return new Mix(all, hot, percent);
  }
}
