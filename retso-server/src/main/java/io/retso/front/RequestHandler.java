package io.retso.front;

import io.netty.buffer.ByteBuf;
import io.retso.oracle.CommitBatch;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Holding;
import io.retso.protocol.Outcome;
import io.retso.protocol.Timestamps;
import io.retso.security.AccessControl;
import io.retso.security.ReceiptMaker;
import io.retso.sequencer.Sequencer;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongSupplier;

/**
 * Has the requests of a frame carried out. The answers are kept here until the caller has written
 * them: the position at which they may leave is known only when the work is done, and with it where
 * they are to be written.
 *
 * <p>One for all connections; of the sequencer's thread. Allocates nothing after construction, but
 * for the few requests about held snapshots.
 */
final class RequestHandler {
  private final Sequencer sequencer;
  private final FairUse fairUse;
  private final LongSupplier nanoClock;
  private final AccessControl access;
  private final CommitBatch batch;
  private final long[] answers;

  /** Explanations of those outcomes of the current frame that have one. */
  private final long[] explanations;

  /** How many outcomes they explain. */
  private int explained;

  /** Start timestamps of a frame, the tickets that it brought, and which of these are wrong. */
  private final long[] starts;

  private final long[] brought;
  private final boolean[] foreign;

  /** Commits with rows of the current frame that were decided just now, and their rows. */
  private int newCommits;

  private int newRows;

  private int strange;

  /** The answer to HOLDS: a list that is made for it. */
  private List<Holding.Report> held = List.of();

  RequestHandler(Sequencer sequencer, FairUse fairUse, FrontDesk.Settings settings) {
    this.sequencer = sequencer;
    this.fairUse = fairUse;
    this.nanoClock = settings.nanoClock();
    this.access = settings.access();
    FrontDesk.Bounds bounds = settings.bounds();
    batch = new CommitBatch(bounds.rowsMax());
    answers = new long[Math.max(2 * bounds.requestsMax(), FrameType.KEYS_NUMBERS)];
    explanations = new long[FrameType.REFUSAL_NUMBERS * bounds.requestsMax()];
    starts = new long[bounds.requestsMax()];
    brought = new long[bounds.requestsMax()];
    foreign = new boolean[bounds.requestsMax()];
  }

  /**
   * Carries out the requests of a checked frame.
   *
   * @param account of the client's host, of so many hosts
   * @param refuseRows whether commits with rows are refused because their host must wait too long
   * @param body index of the frame's body in {@code in}
   * @return the position at which the reply may leave
   */
  long handle(
      FrameType type,
      ClientAccount account,
      int hosts,
      boolean refuseRows,
      ByteBuf in,
      int body,
      int count) {
    strange = 0;
    explained = 0;
    switch (type) {
      case BEGIN -> {
        fairUse.took(account, count);
        long first = sequencer.begin(count, account.host);
        answers[0] = first;
        access.tickets().make(first, Timestamps.GAP, account.owner, answers, 1, count);
      }
      case COMMIT, COMMIT_READS -> {
        boolean tooMany = fairUse.isAboveUncleaned(account, hosts);
        batch.refuseRows(
            refuseRows ? Outcome.REFUSED_SHARE : tooMany ? Outcome.REFUSED_UNCLEANED : 0);
        commit(type, account, in, body, count);
        batch.refuseRows(0);
        addReceipts(count);
      }
      case TIMESTAMP -> {
        fairUse.took(account, 1);
        answers[0] = sequencer.timestamp();
      }
      case SAFE -> answers[0] = sequencer.safeSnapshot(nanoClock.getAsLong());
      case STATUS -> {
        for (int i = 0, at = body; i < count; i++, at += Frames.STATUS_BYTES) {
          answers[i] = sequencer.status(in.getLong(at), in.getLong(at + Long.BYTES));
        }
      }
      case ABORT -> {
        check(type, account.owner, in, body, count);
        for (int i = 0; i < count; i++) {
          answers[i] = foreign[i] ? Outcome.NOT_OWNER : sequencer.abort(starts[i]);
        }
        addReceipts(count);
      }
      case CLEANED -> {
        check(type, account.owner, in, body, count);
        for (int i = 0; i < count; i++) {
          answers[i] = foreign[i] ? Outcome.NOT_OWNER : sequencer.cleaned(starts[i]);
        }
        fairUse.committed(account, 0, count - strange);
      }
      case SWEPT -> {
        check(type, account.owner, in, body, count);
        for (int i = 0; i < count; i++) {
          answers[i] = foreign[i] ? Outcome.NOT_OWNER : sequencer.swept(starts[i]);
        }
        sequencer.sweepOn(); // once for all of them: each might walk over 2^20 places
      }
      case WATERMARK -> answers[0] = sequencer.lowWatermark();
      case KEYS -> {
        ReceiptMaker receipts = access.receipts();
        for (int i = 0; i < FrameType.KEYS_NUMBERS; i++) {
          answers[i] = receipts == null ? 0 : receipts.key(i);
        }
      }
      case HOLD -> {
        fairUse.took(account, count);
        long now = nanoClock.getAsLong();
        for (int i = 0, at = body; i < count; i++, at += Holding.REQUEST_BYTES) {
          long call = Holding.call(in, at);
          answers[i] = sequencer.hold(Holding.name(in, at), call, Holding.ttlMillis(in, at), now);
        }
      }
      case RENEW -> {
        long now = nanoClock.getAsLong();
        for (int i = 0; i < count; i++) {
          answers[i] = sequencer.renewHeld(in.getLong(body + i * Long.BYTES), now);
        }
      }
      case RELEASE -> {
        for (int i = 0; i < count; i++) {
          answers[i] = sequencer.releaseHeld(in.getLong(body + i * Long.BYTES));
        }
      }
      case HOLDS -> held = sequencer.heldSnapshots(nanoClock.getAsLong());
      case HELLO, PING, AUTH, VOUCH -> throw new IllegalArgumentException(type + " is no work");
    }
    return sequencer.replyPosition();
  }

  /** How many requests of the frame that was handled last brought a wrong ticket. */
  int strange() {
    return strange;
  }

  /**
   * Writes the complete reply to the frame that was handled last.
   *
   * @param version of the protocol that the client speaks
   */
  void writeReply(ByteBuf out, FrameType type, int count, int frameId, int version) {
    if (type == FrameType.HOLDS) {
      Holding.writeReports(out, count, frameId, held);
      held = List.of();
      return;
    }
    int told = version >= Handshake.EXPLAINS ? explained : 0;
    Frames.writeReplyHeader(out, type, count, told, frameId);
    for (int i = 0; i < type.answersTo(count); i++) {
      out.writeLong(answers[i]);
    }
    for (int j = 0; j < told * FrameType.REFUSAL_NUMBERS; j++) {
      out.writeLong(explanations[j]);
    }
  }

  /** A client that did not begin a transaction gets no receipt for it: it gets no outcome. */
  private void addReceipts(int count) {
    ReceiptMaker receipts = access.receipts();
    if (receipts == null) {
      Arrays.fill(answers, count, 2 * count, 0);
    } else {
      receipts.make(starts, answers, count);
    }
  }

  private void commit(FrameType type, ClientAccount account, ByteBuf in, int body, int count) {
    newCommits = 0;
    newRows = 0;
    check(type, account.owner, in, body, count);
    if (type == FrameType.COMMIT) {
      decide(in, body, count);
    } else {
      decideReads(in, body, count);
    }
    for (int i = 0; strange > 0 && i < count; i++) {
      answers[i] = foreign[i] ? Outcome.NOT_OWNER : answers[i];
    }
    fairUse.wrote(account, count, newRows);
    fairUse.committed(account, newCommits, 0);
  }

  /**
   * Reads the start timestamps of a frame and looks at their tickets, all of them first: nothing is
   * touched for a client that did not begin the transaction.
   */
  private void check(FrameType type, long owner, ByteBuf in, int body, int count) {
    int at = body;
    for (int i = 0; i < count; i++) {
      starts[i] = in.getLong(at);
      brought[i] = in.getLong(at + Long.BYTES);
      at += Frames.ownedBytes(type, in, at);
    }
    strange = access.tickets().check(starts, brought, owner, foreign, count);
  }

  /** The start of a request that is decided: no transaction has 0, which is answered as invalid. */
  private long owned(int i) {
    return foreign[i] ? 0 : starts[i];
  }

  /** Has commits decided, as many at a time as a batch takes. */
  private void decide(ByteBuf in, int body, int count) {
    long[] rows = batch.rows();
    int answered = 0;
    int index = body;
    for (int i = 0; i < count; i++) {
      int word = in.getInt(index + Frames.TICKET_BYTES);
      int rowCount = word & FrameType.ROWS_MASK;
      if (!batch.hasRoomFor(rowCount)) {
        answered = decideBatch(answered);
      }
      boolean repeat = (word & FrameType.REPEAT_FLAG) != 0;
      int to = batch.add(owned(i), repeat, rowCount);
      index += Frames.COMMIT_FIXED_BYTES;
      for (int end = to + rowCount; to < end; to++, index += Long.BYTES) {
        rows[to] = in.getLong(index);
      }
    }
    decideBatch(answered);
  }

  /** Has commits decided that have five lists of ids each. */
  private void decideReads(ByteBuf in, int body, int count) {
    long[] rows = batch.rows();
    int answered = 0;
    int index = body;
    for (int i = 0; i < count; i++) {
      int ids = (int) Frames.idsOfReads(in, index);
      if (!batch.hasRoomFor(ids)) {
        answered = decideBatch(answered);
      }
      int word = in.getInt(index + Frames.TICKET_BYTES);
      int others = index + Frames.TICKET_BYTES + Integer.BYTES;
      int to =
          batch.add(
              owned(i),
              (word & FrameType.REPEAT_FLAG) != 0,
              (word & FrameType.SERIALIZABLE_FLAG) != 0,
              word & FrameType.ROWS_MASK,
              in.getInt(others),
              in.getInt(others + Integer.BYTES),
              in.getInt(others + 2 * Integer.BYTES),
              in.getInt(others + 3 * Integer.BYTES));
      index += Frames.COMMIT_READS_FIXED_BYTES;
      for (int end = to + ids; to < end; to++, index += Long.BYTES) {
        rows[to] = in.getLong(index);
      }
    }
    decideBatch(answered);
  }

  private int decideBatch(int answered) {
    sequencer.commit(batch);
    newCommits += batch.newCommits();
    newRows += batch.newRows();
    int size = batch.size();
    for (int i = 0; i < size; i++) {
      answers[answered + i] = batch.outcome(i);
      if (Outcome.isExplained(batch.outcome(i))) {
        explain(i);
      }
    }
    batch.clear();
    return answered + size;
  }

  private void explain(int i) {
    int at = FrameType.REFUSAL_NUMBERS * explained++;
    explanations[at] = Frames.refusal(batch.offending(i), batch.alsoRead(i));
    explanations[at + 1] = batch.met(i);
  }
}
