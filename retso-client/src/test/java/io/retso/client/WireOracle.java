package io.retso.client;

import io.retso.client.ScriptedPeer.Request;
import io.retso.client.ScriptedPeer.Wire;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Answers requests as the paper's Algorithms 1 and 2 do, remembering everything. Its state outlives
 * connections; it notes what it was asked.
 */
final class WireOracle {
  private long timestamp;
  private final Map<Long, Long> decided = new HashMap<>();
  private final Map<Long, Long> lastCommit = new HashMap<>();
  private final Set<Long> cleaned = new HashSet<>();

  /** Type and count of every frame, as text: {@code BEGIN x3}. */
  private final List<String> frames = new ArrayList<>();

  private int repeats;

  /** An oracle that never issued a timestamp. */
  WireOracle() {}

  /** An oracle that issued so many start timestamps already. */
  WireOracle(int issued) {
    timestamp = (long) issued * Timestamps.GAP;
  }

  /** A script: handshake, then answers in order until the client hangs up. */
  void serve(Wire wire) throws IOException, FrameException {
    wire.handshake();
    answerAll(wire);
  }

  /** Answers a first request, decides the next one, and hangs up without the reply. */
  void loseSecondReply(Wire wire) throws IOException, FrameException {
    wire.handshake();
    Request first = wire.read();
    wire.reply(first, answer(first));
    answer(wire.read());
  }

  /** Answers in order until the client hangs up. */
  void answerAll(Wire wire) throws IOException, FrameException {
    while (true) {
      Request request = wire.read();
      wire.reply(request, answer(request));
    }
  }

  synchronized long[] answer(Request request) {
    int count = request.count();
    frames.add(request.type() + " x" + count);
    switch (request.type()) {
      case BEGIN -> {
        long first = timestamp + Timestamps.GAP;
        timestamp += (long) count * Timestamps.GAP;
        return new long[] {first};
      }
      case WATERMARK -> {
        return new long[] {watermark()};
      }
      case PING -> {
        return new long[0];
      }
      case COMMIT -> {
        long[] outcomes = new long[count];
        long[][] commits = request.commits();
        for (int i = 0; i < count; i++) {
          outcomes[i] = commit(commits[i]);
        }
        return outcomes;
      }
      case COMMIT_READS -> {
        repeats += request.isRepeated() ? 1 : 0;
        return request.commitReads().stream().mapToLong(this::commit).toArray();
      }
      case TIMESTAMP, SAFE -> {
        timestamp += Timestamps.GAP;
        return new long[] {timestamp};
      }
      default -> {
        long[] outcomes = new long[count];
        for (int i = 0; i < count; i++) {
          outcomes[i] = other(request, i);
        }
        return outcomes;
      }
    }
  }

  private long commit(long[] commit) {
    long start = commit[0];
    if ((commit[1] & FrameType.REPEAT_FLAG) != 0) {
      repeats++;
    }
    Long before = decided.get(start);
    if (before != null) {
      return before;
    }
    if (start > timestamp) {
      return Outcome.INVALID_TIMESTAMP;
    }
    long[] rows = Arrays.copyOfRange(commit, 2, commit.length);
    return commit(CommitRequest.of(ScriptedPeer.handle(start)).withWrites(rows));
  }

  /** A reader of what has changed is aborted: a writer too, whatever others read. */
  private long commit(CommitRequest request) {
    long start = request.transaction().startTimestamp();
    Long before = decided.get(start);
    if (before != null) {
      return before;
    }
    long outcome = timestamp + Timestamps.GAP;
    if (isChanged(request, request.writes()) || isChanged(request, request.validated())) {
      outcome = Outcome.ABORTED_CONFLICT;
    } else if (request.isSerializable()
        && (isChanged(request, request.reads()) || isChanged(request, request.rangeReads()))) {
      boolean writesNothing = request.writes().length == 0;
      outcome = writesNothing ? Outcome.ABORTED_READ_ONLY : Outcome.ABORTED_PIVOT;
    } else {
      timestamp = outcome;
      for (long[] ids : List.of(request.writes(), request.rangeWrites())) {
        for (long id : ids) {
          lastCommit.put(id, outcome);
        }
      }
    }
    decided.put(start, outcome);
    return outcome;
  }

  private boolean isChanged(CommitRequest request, long[] ids) {
    long start = request.transaction().startTimestamp();
    return Arrays.stream(ids).anyMatch(id -> lastCommit.getOrDefault(id, 0L) > start);
  }

  /** Below the oldest start that is not decided and cleaned up. */
  private long watermark() {
    long finished = Timestamps.GAP;
    while (finished <= timestamp && (isCommitTimestamp(finished) || cleaned.contains(finished))) {
      finished += Timestamps.GAP;
    }
    return finished;
  }

  private boolean isCommitTimestamp(long timestamp) {
    return decided.containsValue(timestamp);
  }

  private long other(Request request, int i) {
    long start = request.start(i);
    if (request.type() == FrameType.STATUS) {
      return decided.getOrDefault(start, Outcome.OPEN);
    }
    if (request.type() == FrameType.SWEPT) {
      if (start > timestamp) {
        return Outcome.INVALID_TIMESTAMP;
      }
      decided.forEach((s, outcome) -> sweep(s, outcome, start));
      return Outcome.DONE;
    }
    if (request.type() == FrameType.ABORT) {
      return decided.computeIfAbsent(start, s -> Outcome.ABORTED);
    }
    if (!decided.containsKey(start)) {
      return Outcome.OPEN;
    }
    cleaned.add(start);
    return Outcome.DONE;
  }

  private void sweep(long start, long outcome, long below) {
    if (outcome > 0 && outcome < below) {
      cleaned.add(start);
    }
  }

  synchronized List<String> frames() {
    return List.copyOf(frames);
  }

  synchronized int repeats() {
    return repeats;
  }

  synchronized Map<Long, Long> decided() {
    return Map.copyOf(decided);
  }

  /** What was decided of a transaction; null if nothing was. */
  synchronized Long decided(TransactionHandle transaction) {
    return decided.get(transaction.startTimestamp());
  }

  synchronized boolean isCleaned(TransactionHandle transaction) {
    return cleaned.contains(transaction.startTimestamp());
  }
}
