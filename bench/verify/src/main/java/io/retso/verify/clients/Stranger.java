package io.retso.verify.clients;

import io.retso.client.CommitRequest;
import io.retso.client.OracleClient;
import io.retso.client.OracleClientBuilder;
import io.retso.client.OracleException;
import io.retso.client.OracleException.Category;
import io.retso.client.TransactionHandle;
import io.retso.protocol.Timestamps;
import io.retso.verify.lists.Findings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.atomic.LongAdder;

/**
 * A client that guesses the start timestamps of others, which are not secret, and asks the oracle
 * to commit, abort and forget their transactions, with tickets that it makes up. The oracle must
 * refuse all of it; what the others see is judged as ever. Runs until it is to stop.
 */
public final class Stranger implements Runnable {
  /** Requests at a time, and the pause behind them: some hundred a second, beside the others. */
  private static final int TOGETHER = 16;

  private static final int PAUSE_MILLIS = 40;

  /** How far back it guesses, in timestamps. */
  private static final int BACK_MAX = 20_000;

  private static final Duration REQUEST_MAX = Duration.ofSeconds(4);

  /** No answer; nothing is said about whether it was refused. */
  private static final Set<Category> UNANSWERED =
      EnumSet.of(
          Category.UNAVAILABLE, Category.TIMEOUT, Category.UNKNOWN_OUTCOME, Category.OVERLOADED);

  private enum Request {
    COMMIT,
    COMMIT_ROWS,
    COMMIT_READS,
    ABORT,
    CLEANED,
    SWEPT
  }

  private final OracleClientBuilder builder;
  private final SplittableRandom random;
  private final Findings findings;
  private final StopSignal stop;
  private final LongAdder refused = new LongAdder();

  /**
   * A stranger that does nothing yet.
   *
   * @param builder of its client
   */
  public Stranger(OracleClientBuilder builder, long seed, Findings findings, StopSignal stop) {
    this.builder = builder;
    this.random = new SplittableRandom(seed);
    this.findings = findings;
    this.stop = stop;
  }

  /** Requests that the oracle refused so far. */
  public long refused() {
    return refused.sum();
  }

  @Override
  public void run() {
    try (OracleClient client = builder.requestTimeout(REQUEST_MAX).build()) {
      while (!stop.isSet()) {
        try {
          attack(client, client.begin());
        } catch (OracleException e) {
          check("begin", e);
        }
        stop.await(PAUSE_MILLIS);
      }
    }
  }

  private void attack(OracleClient client, TransactionHandle own) {
    List<CompletableFuture<?>> asked = new ArrayList<>();
    for (int i = 0; i < TOGETHER; i++) {
      TransactionHandle guess = guess(own);
      Request request = Request.values()[random.nextInt(Request.values().length)];
      asked.add(
          send(client, request, guess)
              .handle(
                  (answer, failure) -> {
                    judge(request + " of transaction " + guess, answer, failure);
                    return null;
                  }));
    }
    asked.forEach(CompletableFuture::join);
    client.endLater(own);
  }

  /** A recent start timestamp, with the ticket of another one, or one that is made up. */
  private TransactionHandle guess(TransactionHandle own) {
    long back = 1 + random.nextInt(BACK_MAX);
    long start = Math.max(Timestamps.GAP, own.startTimestamp() - (back << Timestamps.GAP_BITS));
    long ticket =
        switch (random.nextInt(4)) {
          case 0 -> 0;
          case 1 -> start;
          case 2 -> own.ticket() + (start == own.startTimestamp() ? 1 : 0);
          default -> random.nextLong();
        };
    return TransactionHandle.of(start, ticket);
  }

  private CompletableFuture<?> send(OracleClient client, Request request, TransactionHandle guess) {
    return switch (request) {
      case COMMIT -> client.commitAsync(guess);
      case COMMIT_ROWS -> client.commitAsync(guess, random.nextLong());
      case COMMIT_READS ->
          client.commitAsync(CommitRequest.of(guess).withReads(random.nextLong()).serializable());
      case ABORT -> client.abortAsync(guess);
      case CLEANED -> client.cleanedUpAsync(guess);
      case SWEPT -> client.sweptAsync(guess);
    };
  }

  private void judge(String what, Object answer, Throwable failure) {
    if (failure == null) {
      findings.violation("a stranger's " + what + " was carried out: " + answer);
      return;
    }
    Throwable cause = failure instanceof CompletionException ? failure.getCause() : failure;
    if (cause instanceof OracleException e) {
      check(what, e);
    } else {
      findings.violation("a stranger's " + what + " failed with " + failure);
    }
  }

  private void check(String what, OracleException e) {
    if (e.category() == Category.NOT_PERMITTED) {
      refused.increment();
    } else if (!UNANSWERED.contains(e.category())) {
      findings.violation("a stranger's " + what + " failed with " + e);
    }
  }
}
