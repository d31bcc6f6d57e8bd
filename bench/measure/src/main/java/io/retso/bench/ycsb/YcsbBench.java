package io.retso.bench.ycsb;

import io.retso.admin.RootCause;
import io.retso.hbase.options.Isolation;
import io.retso.machine.Machine;
import io.retso.report.BenchException;
import io.retso.report.Mean;
import io.retso.report.ProgressLine;
import io.retso.report.Result;
import io.retso.report.Rounds;
import io.retso.report.Table;
import io.retso.report.Unit;
import io.retso.report.Verdict;
import io.retso.verify.clients.ClusterAccess;
import io.retso.ycsb.ClosedEconomyWorkload;
import io.retso.ycsb.RetsoClient;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import site.ycsb.DB;
import site.ycsb.DBException;
import site.ycsb.Workload;
import site.ycsb.WorkloadException;
import site.ycsb.measurements.Measurements;
import site.ycsb.workloads.CoreWorkload;

/**
 * {@code retso bench ycsb}: YCSB's workloads on plain HBase and on ReTSO in turns, and the closed
 * economy with its anomaly score.
 */
public final class YcsbBench {
  /** The workloads of YCSB. */
  public static final Set<String> WORKLOADS = new TreeSet<>(Set.of("a", "b", "c", "d", "e", "f"));

  private static final String ECONOMY = "economy";
  private static final int OPERATIONS = 5;

  /** Few, so that transfers meet. */
  private static final int ACCOUNTS = 20;

  private static final int INSERTED_AT_ONCE = 200;

  /** A minute for 10,000 records, twice. */
  private static final Duration INSERT = Duration.ofMillis(6);

  private static final Duration START = Duration.ofSeconds(30);
  private static final Duration OPEN = Duration.ofMillis(500);

  private final Settings settings;
  private final ProgressLine line;
  private final Rounds<Case, Figures> rounds = new Rounds<>();
  private final List<String> failures = new ArrayList<>();

  /**
   * What to measure.
   *
   * @param hbase a cluster that runs, with its oracle; empty to start one
   * @param directory for the data of what is started
   * @param workloads of {@link #WORKLOADS}
   * @param records of the table when it is loaded
   * @param clients threads
   * @param warmUp before each measurement
   * @param first number of the first round; -1 for one that does not count
   * @param rounds in which all that is compared takes turns
   * @param seed of the economy; YCSB's own workloads have none
   */
  public record Settings(
      Optional<ClusterAccess> hbase,
      Path directory,
      Set<String> workloads,
      int records,
      int clients,
      Duration warmUp,
      Duration measured,
      int first,
      int rounds,
      long seed) {
    /** About how long it takes. */
    public Duration length() {
      long runs = (long) cases(workloads).size() * (rounds - first);
      return START
          .plus(INSERT.multipliedBy(2L * records))
          .plus(OPEN.plus(warmUp).plus(measured).multipliedBy(runs));
    }
  }

  /** What takes turns. */
  private record Case(String workload, Binding binding) {
    @Override
    public String toString() {
      return workload + ", " + binding;
    }
  }

  /**
   * What one measurement gave.
   *
   * @param good operations a second, without those of refused transactions
   * @param refusedShare of the transactions, of 1
   * @param score anomaly score of the economy
   */
  private record Figures(double good, double refusedShare, double score) {}

  /** Prepares a benchmark. */
  public YcsbBench(Settings settings, PrintWriter out, boolean terminal) {
    this.settings = settings;
    this.line = new ProgressLine(out, terminal);
  }

  private static List<Case> cases(Set<String> workloads) {
    return compared(workloads).stream().flatMap(List::stream).toList();
  }

  /** The bindings of each workload. */
  private static List<List<Case>> compared(Set<String> workloads) {
    List<List<Case>> all = new ArrayList<>();
    for (String workload : workloads) {
      all.add(bindings(workload, 1, OPERATIONS));
    }
    all.add(bindings(ECONOMY, 1));
    return all;
  }

  private static List<Case> bindings(String workload, int... operations) {
    List<Case> all = new ArrayList<>(List.of(new Case(workload, Binding.PLAIN)));
    for (int count : operations) {
      for (Isolation level : Isolation.values()) {
        all.add(new Case(workload, new Binding(level, count)));
      }
    }
    return all;
  }

  /** Measures everything. */
  public Result run(String version, List<String> flags)
      throws BenchException, InterruptedException {
    Result.Builder result = Result.begin("ycsb", version, flags, Machine.facts());
    line.show("starting HBase ...");
    try (YcsbCluster cluster =
        YcsbCluster.of(
            settings.hbase, settings.directory.resolve("ycsb-cluster"), List.of("ycsb", ECONOMY))) {
      load(cluster);
      rounds.take(
          compared(settings.workloads),
          settings.first,
          settings.rounds,
          line,
          (of, round) -> measure(cluster, of, round));
    } catch (IOException e) {
      throw new BenchException("YCSB failed: " + RootCause.of(e), e);
    } finally {
      line.clear();
    }
    return result
        .settings(facts())
        .table(workloads())
        .table(economy())
        .note("per s: YCSB's operations without those of refused transactions; refused: of all")
        .note("a transaction is so many calls of the binding; an operation of F may be two calls")
        .note(doubt())
        .verdicts(verdicts())
        .failures(failures)
        .runs(rounds.runs())
        .end();
  }

  private Map<String, Object> facts() {
    Map<String, Object> facts = new LinkedHashMap<>();
    facts.put("records", settings.records);
    facts.put("clients", settings.clients);
    facts.put("accounts of the economy", ACCOUNTS);
    return facts;
  }

  private void load(YcsbCluster cluster) throws IOException, InterruptedException {
    for (Binding binding :
        List.of(Binding.PLAIN, new Binding(Isolation.SNAPSHOT, INSERTED_AT_ONCE))) {
      line.show("loading " + binding.store() + " ...");
      Properties properties =
          cluster.properties("ycsb", binding, workload(settings.workloads.iterator().next()));
      new YcsbLoad(
              properties,
              initialized(properties, CoreWorkload::new, binding),
              binding,
              settings.clients)
          .insert(settings.records);
    }
  }

  private Properties workload(String name) throws IOException {
    Properties properties = new Properties();
    String file = "workloads/" + (name.equals(ECONOMY) ? name : "workload" + name);
    try (InputStream in = RetsoClient.class.getResourceAsStream(file)) {
      if (in == null) {
        throw new FileNotFoundException(file + " is not in the jar of the bindings: build it anew");
      }
      properties.load(in);
    }
    properties.setProperty("recordcount", String.valueOf(settings.records));
    return properties;
  }

  private interface Made<W> {
    W make();
  }

  private static <W extends Workload> W initialized(
      Properties properties, Made<W> made, Binding binding) throws IOException {
    Measurements.setProperties(properties); // its object is made with the first workload
    W workload = made.make();
    try {
      workload.init(properties);
      return workload;
    } catch (WorkloadException e) {
      throw new IOException("the workload for " + binding + " cannot be prepared", e);
    }
  }

  private Figures measure(YcsbCluster cluster, Case of, int round)
      throws IOException, InterruptedException {
    Figures figures =
        of.workload.equals(ECONOMY) ? economy(cluster, of, round) : core(cluster, of, round);
    if (figures.score > 0 && of.binding.level() != null) {
      failures.add(of + ", round " + (round + 1) + ": anomaly score " + decimal(figures.score));
    }
    return figures;
  }

  private Figures core(YcsbCluster cluster, Case of, int round)
      throws IOException, InterruptedException {
    Properties properties = cluster.properties("ycsb", of.binding, workload(of.workload));
    Workload workload = initialized(properties, CoreWorkload::new, of.binding);
    YcsbLoad.Counts counts = load(properties, workload, of);
    judge(of, round, counts);
    double refused = counts.refusedShare(of.binding.operations());
    return new Figures(counts.perSecond() * (1 - refused), refused, 0);
  }

  private Figures economy(YcsbCluster cluster, Case of, int round)
      throws IOException, InterruptedException {
    Properties given = workload(ECONOMY);
    given.setProperty("recordcount", String.valueOf(ACCOUNTS));
    given.setProperty("economy.seed", String.valueOf(settings.seed + Math.max(0, round)));
    Properties properties = cluster.properties(ECONOMY, of.binding, given);
    ClosedEconomyWorkload workload =
        initialized(properties, ClosedEconomyWorkload::new, of.binding);
    new YcsbLoad(properties, workload, of.binding, 1).insert(ACCOUNTS);
    YcsbLoad.Counts counts = load(properties, workload, of);
    judge(of, round, counts);
    double committed = (double) workload.committed() / Math.max(1, workload.transactions());
    return new Figures(
        counts.perSecond() * committed, 1 - committed, score(properties, workload, of));
  }

  private YcsbLoad.Counts load(Properties properties, Workload workload, Case of)
      throws IOException, InterruptedException {
    return new YcsbLoad(properties, workload, of.binding, settings.clients)
        .run(settings.warmUp, settings.measured);
  }

  private void judge(Case of, int round, YcsbLoad.Counts counts) {
    if (counts.errors() > 0) {
      failures.add(
          String.format(
              Locale.ROOT,
              "%s, round %d: %,d calls failed, for reasons above",
              of,
              round + 1,
              counts.errors()));
    }
  }

  private static double score(Properties properties, ClosedEconomyWorkload workload, Case of)
      throws IOException {
    DB db = of.binding.client();
    db.setProperties(properties);
    try {
      db.init();
      try {
        return workload.anomalyScore(db);
      } finally {
        db.cleanup();
      }
    } catch (DBException | WorkloadException e) {
      throw new IOException("the accounts of " + of + " cannot be read", e);
    }
  }

  private Mean ratio(Case of) {
    return rounds.ratio(of, new Case(of.workload, Binding.PLAIN), Figures::good);
  }

  private List<Case> measured(boolean isEconomy) {
    List<Case> order = cases(settings.workloads); // those of rounds begin with any
    List<Case> all = rounds.of(of -> of.workload.equals(ECONOMY) == isEconomy).cases();
    all.sort(Comparator.comparing(order::indexOf));
    return all;
  }

  private Table.Rows<Case> table(String name, boolean isEconomy) {
    return Table.of(name, measured(isEconomy))
        .words("workload", Case::workload)
        .words("store", of -> of.binding.store());
  }

  private Table.Rows<Case> figures(Table.Rows<Case> table) {
    return table
        .column(Unit.RATE, "per s", of -> rounds.mean(of, Figures::good))
        .column(Unit.RATIO, "of plain", of -> of.binding.equals(Binding.PLAIN) ? null : ratio(of))
        .column(Unit.SHARE, "refused", of -> rounds.mean(of, Figures::refusedShare).value());
  }

  private Table workloads() {
    return figures(
            table("Workloads of YCSB", false)
                .column(
                    Unit.COUNT,
                    "calls",
                    of -> of.binding.level() == null ? null : of.binding.operations()))
        .end();
  }

  private Table economy() {
    return figures(table("The closed economy", true))
        .words("anomaly score", of -> decimal(rounds.mean(of, Figures::score).value()))
        .end();
  }

  private static String decimal(double score) {
    return String.format(Locale.ROOT, "%.6f", score);
  }

  private List<Verdict> verdicts() {
    List<Verdict> all = new ArrayList<>();
    for (Case of : measured(true)) {
      if (of.binding.level() != null) {
        all.add(
            new Verdict(
                "closed economy, " + of.binding + ": anomaly score",
                rounds.results(of).stream().mapToDouble(Figures::score).max().orElse(0),
                false,
                0,
                String.format(Locale.ROOT, "the highest of %d rounds", settings.rounds)));
      }
    }
    return all;
  }

  /** Whether the score would have found something. */
  private String doubt() {
    return rounds.sum(new Case(ECONOMY, Binding.PLAIN), Figures::score) > 0
        ? ""
        : "plain HBase lost no money in so short a time: the scores of ReTSO say little";
  }
}
