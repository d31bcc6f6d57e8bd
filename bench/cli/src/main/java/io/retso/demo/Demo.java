package io.retso.demo;

import io.retso.cluster.ChildProcess;
import io.retso.cluster.LocalCluster;
import io.retso.workload.Isolation;
import io.retso.workload.bank.Bank;
import io.retso.workload.store.HBaseStore;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.apache.hadoop.conf.Configuration;

/**
 * The bank at work: processes of tellers, one of which is killed from time to time and replaced,
 * and an auditor in this process.
 */
final class Demo implements AutoCloseable {
  /**
   * What to run.
   *
   * @param processes of tellers
   * @param threads tellers per process
   * @param isolation of all transactions
   * @param killEvery mean time between two kills
   */
  record Plan(
      Path directory,
      int accounts,
      int processes,
      int threads,
      Isolation isolation,
      Duration time,
      Duration killEvery,
      long seed) {}

  /** What can be seen at a moment. */
  record View(
      double seconds,
      long transfers,
      long conflicts,
      long audits,
      long total,
      int killed,
      double medianMillis,
      double p99Millis) {}

  /** Sees how it goes, a few times a second. */
  interface Watcher {
    void see(View view);
  }

  private static final long TRANSFER_NANOS_MAX = TimeUnit.SECONDS.toNanos(90);
  private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

  private final Plan plan;
  private final HBaseStore store;
  private final String oracle;
  private final Bank bank;
  private final Path configuration;
  private final SplittableRandom random;
  private final TellerReport report = new TellerReport();
  private final AuditReport audits;
  private final TellerPool tellers = new TellerPool(this::startTeller);
  private boolean wentOn;
  private volatile boolean stopping;

  Demo(Plan plan, LocalCluster cluster, HBaseStore store) throws IOException {
    this.plan = plan;
    this.store = store;
    this.oracle = cluster.oracle();
    this.bank = new Bank("auditor", plan.accounts(), plan.isolation());
    this.audits = new AuditReport(bank.total());
    this.random = new SplittableRandom(plan.seed());
    this.configuration = plan.directory().resolve("client.xml");
    try (OutputStream out = Files.newOutputStream(configuration)) {
      Configuration client = cluster.configuration();
      client.writeXml(out);
    }
  }

  /** Opens the accounts; returns the money that is in them. */
  long open() throws IOException {
    store.create(bank.schema());
    bank.load(store);
    return bank.total();
  }

  /**
   * Lets tellers, killer and auditor work for the planned time, and until one transfer more shows
   * that the kills have not stopped the work. Then kills all tellers.
   */
  void run(Watcher watcher) throws IOException, InterruptedException {
    tellers.start(plan.processes());
    awaitFirstTransfer();
    Thread auditor = new Thread(this::audit, "auditor");
    auditor.start();
    try {
      long begin = System.nanoTime();
      long end = begin + plan.time().toNanos();
      long nextKill = begin + plan.killEvery().toNanos();
      for (long now = begin; now < end; now = System.nanoTime()) {
        if (now >= nextKill) {
          tellers.killOne(random);
          nextKill = now + (long) (plan.killEvery().toNanos() * (0.5 + random.nextDouble()));
        }
        report.read();
        watcher.see(view((now - begin) / 1e9));
        LockSupport.parkNanos(LOOK_NANOS);
      }
      wentOn = awaitTransfer();
      tellers.killAll();
      report.read();
      watcher.see(view((System.nanoTime() - begin) / 1e9));
    } finally {
      stopping = true;
      auditor.join();
    }
  }

  /**
   * A fresh Java process needs some seconds to get going, and the clock should not start before.
   */
  private void awaitFirstTransfer() throws IOException {
    if (!awaitTransfer()) {
      throw new IOException("no teller makes a transfer. One says:" + tellers.lastLines());
    }
  }

  /** Waits until one transfer more is acknowledged; false if there is none for a long time. */
  private boolean awaitTransfer() throws IOException {
    long deadline = System.nanoTime() + TRANSFER_NANOS_MAX;
    report.read();
    int before = report.done().size();
    while (report.done().size() == before) {
      if (System.nanoTime() > deadline || !tellers.isAnyAlive()) {
        return false;
      }
      LockSupport.parkNanos(LOOK_NANOS);
      report.read();
    }
    return true;
  }

  private ChildProcess startTeller(String name) throws IOException {
    Path directory = plan.directory().resolve("tellers");
    Path lines = directory.resolve(name + ".txt");
    Files.createDirectories(directory);
    report.follow(lines);
    return ChildProcess.start(
        name,
        directory.resolve(name + "-output.txt"),
        lines,
        List.of("-Xmx256m", "-XX:TieredStopAtLevel=1"),
        Teller.class.getName(),
        List.of(
            name,
            Integer.toString(plan.threads()),
            Integer.toString(plan.accounts()),
            lines.toString(),
            Long.toString(random.nextLong()),
            configuration.toString(),
            oracle,
            plan.isolation().name()));
  }

  private void audit() {
    while (!stopping && audits.wrongs().isEmpty()) {
      audits.make(() -> bank.audit(store));
    }
  }

  private View view(double seconds) {
    return new View(
        seconds,
        report.done().size(),
        report.conflicts().size(),
        audits.succeeded(),
        audits.lastTotal(),
        tellers.killed(),
        report.millisAt(50),
        report.millisAt(99));
  }

  /** Adds up the money once more, and judges. */
  Verdict verdict() throws IOException {
    audits.last(bank.audit(store)); // if it fails, there is no verdict
    List<String> wrongs = new ArrayList<>(audits.wrongs());
    wrongs.addAll(Judge.wrongs(report, bank.journal(store)));
    List<String> failures = new ArrayList<>(audits.failures());
    failures.addAll(tellers.deaths());
    if (!wentOn) {
      failures.add("after the last kill no transfer was acknowledged any more");
    }
    return new Verdict(wrongs, failures);
  }

  AuditReport audits() {
    return audits;
  }

  TellerReport report() {
    return report;
  }

  @Override
  public void close() {
    tellers.close();
  }
}
