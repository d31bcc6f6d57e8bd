package io.retso.verify.clients;

import io.retso.hbase.Transaction;
import io.retso.hbase.TransactionManager;
import io.retso.verify.lists.Findings;
import io.retso.verify.lists.StackTraces;
import java.io.IOException;
import java.util.List;
import java.util.Random;

/** Looks for tokens, and moves them: deletes one where it is and puts it somewhere else. */
final class TokenMover implements Runnable {
  private static final int PAUSE_MILLIS_MAX = 10;

  private final TransactionManager manager;
  private final Tokens tokens;
  private final Random random;
  private final Findings findings;
  private final StopSignal stop;
  private Work done = Work.NONE;

  TokenMover(
      TransactionManager manager, Tokens tokens, long seed, Findings findings, StopSignal stop) {
    this.manager = manager;
    this.tokens = tokens;
    this.random = new Random(seed);
    this.findings = findings;
    this.stop = stop;
  }

  @Override
  public void run() {
    findings.watch("a mover of tokens", this::work);
  }

  private void work() {
    while (!stop.await(random.nextInt(PAUSE_MILLIS_MAX))) {
      int token = random.nextInt(Tokens.COUNT);
      try {
        look(token);
      } catch (IOException e) {
        stop.await(PAUSE_MILLIS_MAX); // conflicts, and what the faults do
      } catch (RuntimeException e) {
        if (!stop.isSet()) {
          findings.violation("token " + token + ": " + StackTraces.of(e));
        }
      }
    }
  }

  private void look(int token) throws IOException {
    List<Tokens.Found> found;
    long start;
    boolean moves;
    try (Transaction tx = manager.begin()) {
      start = tx.startTimestamp();
      found = tokens.look(tx, token, random.nextBoolean());
      moves = found.size() == 1 && random.nextBoolean();
      if (moves) {
        tokens.move(tx, found.get(0).place(), random);
      }
      tx.commit();
    }
    done = done.plus(Work.look(moves));
    Tokens.problem(start, token, found).ifPresent(findings::violation);
  }

  /** What it did; to be asked when it has ended. */
  public Work done() {
    return done;
  }
}
