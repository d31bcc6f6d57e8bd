package io.retso.demo;

import io.retso.workload.Isolation;
import io.retso.workload.Reason;
import io.retso.workload.RefusedException;
import io.retso.workload.Store;
import io.retso.workload.UnknownOutcomeException;
import io.retso.workload.bank.Bank;
import io.retso.workload.store.HBaseStore;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.SplittableRandom;
import org.apache.hadoop.conf.Configuration;

/**
 * A process of tellers, each a thread that makes transfers until the process ends, usually because
 * it is killed. What it knows of each transfer it writes to a file, one line at once: {@code begun
 * ID} before the first write, then {@code done ID MICROS}, or what {@link #wordFor} says with the
 * id and a text.
 */
final class Teller {
  private final Bank bank;
  private final Store store;
  private final String name;
  private final BufferedWriter report;

  private Teller(Bank bank, Store store, String name, BufferedWriter report) {
    this.bank = bank;
    this.store = store;
    this.name = name;
    this.report = report;
  }

  /** Name, threads, accounts, report, seed, a file of HBase's configuration, oracle, isolation. */
  public static void main(String[] arguments) throws Exception {
    String name = arguments[0];
    int threads = Integer.parseInt(arguments[1]);
    int accounts = Integer.parseInt(arguments[2]);
    long seed = Long.parseLong(arguments[4]);
    Configuration configuration = new Configuration();
    configuration.addResource(Path.of(arguments[5]).toUri().toURL());
    Bank bank = new Bank(name, accounts, Isolation.valueOf(arguments[7]));
    try (BufferedWriter report = Files.newBufferedWriter(Path.of(arguments[3]));
        Store store = new HBaseStore(configuration, arguments[6])) {
      Teller teller = new Teller(bank, store, name, report);
      SplittableRandom random = new SplittableRandom(seed);
      for (int thread = 0; thread < threads; thread++) {
        SplittableRandom own = random.split();
        Thread work = new Thread(() -> teller.work(own), name + "-" + thread);
        work.setDaemon(true);
        work.setUncaughtExceptionHandler(Teller::end);
        work.start();
      }
      while (System.in.read() >= 0) {
        // The parent never writes; what counts is the end.
      }
    }
    System.exit(0);
  }

  /** A teller that cannot go on takes the process with it, so that it is noticed. */
  private static void end(Thread thread, Throwable failure) {
    failure.printStackTrace();
    Runtime.getRuntime().halt(1);
  }

  private void work(SplittableRandom random) {
    while (true) {
      Bank.Transfer transfer = bank.next(random);
      long started = System.nanoTime();
      try {
        say("begun " + transfer.id());
        transfer.runOn(store);
        say("done " + transfer.id() + " " + (System.nanoTime() - started) / 1000);
      } catch (IOException | RuntimeException e) {
        say(wordFor(e) + " " + transfer.id() + " " + e.toString().replaceAll("\\R", " "));
      }
    }
  }

  /**
   * What became of a transfer that is not done: {@code conflict} and {@code failed} if it is
   * promised that nothing is committed, {@code unknown} if it may be, {@code broken} if no correct
   * program sees such a thing.
   */
  static String wordFor(Exception failure) {
    if (failure instanceof RefusedException refused) {
      Reason reason = refused.reason();
      return reason == Reason.CONFLICT || reason.isCertification() ? "conflict" : "failed";
    }
    if (failure instanceof UnknownOutcomeException) {
      return "unknown";
    }
    return failure instanceof RuntimeException ? "broken" : "failed";
  }

  /** A line of the report, in the file when this returns. */
  private void say(String line) {
    synchronized (report) {
      try {
        report.write(line + "\n");
        report.flush();
      } catch (IOException e) {
        throw new IllegalStateException(name + " cannot write its report", e);
      }
    }
  }
}
