package io.retso.demo;

import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.hbase.errors.TransactionException;
import io.retso.hbase.options.Isolation;
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
  private static final int AMOUNT_MAX = 100;

  private final Bank bank;
  private final TransactionManager manager;
  private final String name;
  private final int accounts;
  private final BufferedWriter report;

  private Teller(TransactionManager manager, String name, int accounts, BufferedWriter report) {
    this.manager = manager;
    this.bank = new Bank(manager, accounts);
    this.name = name;
    this.accounts = accounts;
    this.report = report;
  }

  /** Name, threads, accounts, report, seed, a file of HBase's configuration, and isolation. */
  public static void main(String[] arguments) throws Exception {
    String name = arguments[0];
    int threads = Integer.parseInt(arguments[1]);
    int accounts = Integer.parseInt(arguments[2]);
    long seed = Long.parseLong(arguments[4]);
    Configuration configuration = new Configuration();
    configuration.addResource(Path.of(arguments[5]).toUri().toURL());
    try (BufferedWriter report = Files.newBufferedWriter(Path.of(arguments[3]));
        TransactionManager manager =
            TransactionManager.builder(configuration)
                .isolation(Isolation.valueOf(arguments[6]))
                .build()) {
      Teller teller = new Teller(manager, name, accounts, report);
      SplittableRandom random = new SplittableRandom(seed);
      for (int thread = 0; thread < threads; thread++) {
        SplittableRandom own = random.split();
        String prefix = name + "-" + thread + "-";
        Thread work = new Thread(() -> teller.work(prefix, own), prefix);
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

  private void work(String prefix, SplittableRandom random) {
    for (int i = 0; ; i++) {
      String id = prefix + i;
      long started = System.nanoTime();
      try {
        say("begun " + id);
        try (Transaction tx = manager.begin()) {
          bank.transfer(
              tx,
              id,
              random.nextInt(accounts),
              random.nextInt(accounts),
              1 + random.nextInt(AMOUNT_MAX),
              random.nextBoolean());
          tx.commit();
        }
        say("done " + id + " " + (System.nanoTime() - started) / 1000);
      } catch (IOException | RuntimeException e) {
        say(wordFor(e) + " " + id + " " + e.toString().replaceAll("\\R", " "));
      }
    }
  }

  /**
   * What became of a transfer that failed: {@code conflict} and {@code refused} if it is promised
   * that nothing is committed, {@code unknown} if it may be, {@code broken} if no correct program
   * sees such a thing, {@code failed} otherwise.
   */
  static String wordFor(Exception failure) {
    if (!(failure instanceof TransactionException failed)) {
      return failure instanceof RuntimeException ? "broken" : "failed";
    }
    return switch (failed.category()) {
      case CONFLICT, SERIALIZATION -> "conflict";
      case TOO_OLD,
          ABORTED,
          ROLLBACK_ONLY,
          ORACLE_UNAVAILABLE,
          TABLE_NOT_PREPARED,
          WRITE_SET_TOO_LARGE ->
          "refused";
      case UNKNOWN_OUTCOME -> "unknown";
    };
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
