package io.retso.front;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.ServerRole;
import io.retso.protocol.Timestamps;
import io.retso.security.Identity;
import io.retso.security.Role;
import io.retso.security.Tickets;

/**
 * The requests and replies of one connection: each frame is carried out when it is taken, and its
 * reply held until the position of that very work is durable.
 *
 * <p>Of the sequencer's thread.
 */
public final class Conversation {
  /** What became of the next frame. */
  public enum Progress {
    /** It was taken; its reply leaves when it may. */
    TAKEN,
    /** There is none, or only a part of it. */
    INCOMPLETE,
    /** It must wait until {@link Transport#resume}; that is never if the server is ending. */
    WAITING
  }

  /** A commit that leaves the window uncleaned costs some loads from memory, about 0.3 us. */
  static final int UNITS_PER_MOVE = 4;

  private final FrontDesk desk;
  private final Transport transport;
  private final Introduction introduction;
  private final ReplyLane starts = new ReplyLane();
  private final ReplyLane decisions = new ReplyLane();
  private final ReplyLane.Exit exit = this::leave;

  private final PutOffStarts putOff;
  private final StepClock steps;

  /** With whom it has its share: its host's others, until the client is identified. */
  private Object company;

  private ClientShare share;

  /** Replies that leave at the end of this burst. */
  private ByteBuf leaving;

  private int frameId;

  /** Since when its commits wait for others, as none went on meanwhile; -1 if they do not. */
  private long waitingSince = -1;

  /** The commits of the frame that is looked at are refused: they waited too long. */
  private boolean refuseRows;

  private boolean inBurst;
  private boolean holding;

  /** It waited for a turn, and this is it. */
  private boolean hasTurn;

  Conversation(FrontDesk desk, Transport transport, Object host) {
    this.desk = desk;
    this.transport = transport;
    this.introduction = new Introduction(desk.settings(), transport, this::recognized);
    this.company = host;
    this.share = desk.turns().join(host, Tickets.ANYBODY);
    this.putOff = new PutOffStarts(desk, this);
    this.steps = new StepClock(desk.settings().nanoClock());
  }

  ClientShare share() {
    return share;
  }

  /**
   * How many conversations there are with this client's principal, this one included; as long as
   * that is not known, with its host.
   */
  public int ofSameClient() {
    return share.count(0);
  }

  /** What the client said of itself; {@code null} before the handshake. */
  public Handshake.Hello hello() {
    return introduction.hello();
  }

  /** The client, as far as it is known; {@code null} before the handshake. */
  public Identity identity() {
    return introduction.identity();
  }

  /** When the client said HELLO, or sent a ping last. */
  long heardNanos() {
    return introduction.heardNanos();
  }

  /**
   * What is asked of clients, or what they may do, may be something else by now, or what proves
   * their identity may have ended.
   *
   * @throws FrameException if the connection is to be ended
   */
  public void look() throws FrameException {
    introduction.look();
    moveShare();
  }

  /** What a known client has done on this connection counts from here on for its principal. */
  private void moveShare() {
    Identity identity = introduction.identity();
    if (identity != null && identity.isKnown() && !identity.principal().equals(company)) {
      boolean waits = desk.turns().leave(company, share, this);
      company = identity.principal();
      share = desk.turns().join(company, identity.owner());
      if (waits) {
        desk.turns().await(share, this);
      }
    }
  }

  /** The id of the frame that was looked at last, for an error about it. */
  public int frameId() {
    return frameId;
  }

  /**
   * Takes the first frame of {@code unread}, if it is complete and may be taken.
   *
   * @throws FrameException if it breaks the protocol: the connection is to be ended, nothing of the
   *     frame was carried out
   */
  public Progress take(ByteBuf unread) throws FrameException {
    if (desk.isClosing()) {
      return Progress.WAITING;
    }
    int index = unread.readerIndex();
    int frameBytes = Frames.frameBytes(unread, index);
    introduction.checkSize(frameBytes);
    if (frameBytes == 0 || unread.readableBytes() < frameBytes) {
      waitingSince = -1; // nothing is behind a commit that waited
      return Progress.INCOMPLETE;
    }
    frameId = Frames.frameId(unread, index);
    boolean isPong = Frames.replyType(unread, index) == FrameType.PING;
    if (isPong) {
      Frames.checkReply(unread, index, frameBytes);
    } else {
      Frames.checkRequest(unread, index, frameBytes);
      steps.look(unread, index);
    }
    FrameType type = Frames.requestType(unread, index);
    Turns turns = desk.turns();
    long quantum = share.quantum();
    long units =
        isPong ? 1 : FrameWork.units(type, frameBytes, Frames.count(unread, index), quantum);
    if (hasTurn ? !turns.mayGoOn(share) : !turns.mayTake(share, units)) {
      turns.await(share, this);
      return Progress.WAITING;
    }
    long moves = desk.moves();
    // A pong says that the client lives, which is known by now.
    Progress progress = isPong ? Progress.TAKEN : carryOut(type, unread, index, frameBytes);
    if (progress == Progress.TAKEN) {
      spend(units, moves);
      steps.taken();
      unread.skipBytes(frameBytes);
    }
    return progress;
  }

  private Progress carryOut(FrameType type, ByteBuf unread, int index, int frameBytes)
      throws FrameException {
    introduction.checkOrder(type);
    if (isAnsweredWithoutOracle(type, unread, index, frameBytes)) {
      return Progress.TAKEN;
    }
    int count = Frames.count(unread, index);
    if (putOff.mustWait(type, count)) {
      return putOff.add(type, count, frameId) ? Progress.TAKEN : Progress.WAITING;
    }
    if (waits(type, unread, index, frameBytes)) {
      return Progress.WAITING;
    }
    return serve(type, frameId, count, unread, index + Frames.HEADER_BYTES)
        ? Progress.TAKEN
        : Progress.WAITING;
  }

  /** Answers what is no work of the oracle, and all that is for another server. */
  private boolean isAnsweredWithoutOracle(FrameType type, ByteBuf unread, int index, int frameBytes)
      throws FrameException {
    if (type == FrameType.HELLO || type == FrameType.AUTH) {
      introduce(type, unread.slice(index + Frames.HEADER_BYTES, frameBytes - Frames.HEADER_BYTES));
    } else if (type == FrameType.PING) {
      introduction.heard();
      Frames.writeReplyHeader(leaving(), type, 0, frameId);
    } else if (hello().mode() == Handshake.Mode.ECHO && identity().has(Role.BENCH)) {
      echo(type, Frames.count(unread, index));
    } else if (!desk.isLeading()) {
      sendBack(ErrorCode.NOT_LEADER, frameId);
    } else {
      return false;
    }
    return true;
  }

  /** Whether a frame and those behind it wait, for other hosts or for the log. */
  private boolean waits(FrameType type, ByteBuf unread, int index, int frameBytes) {
    if (mustWaitWithRows(type, unread, index, frameBytes)) {
      desk.waitForOthers(this);
      return true;
    }
    if (!desk.sequencer().canTake(frameBytes)) {
      desk.waitForLog(this);
      return true;
    }
    return false;
  }

  /**
   * Whether a frame writes rows for which its host must wait. What is behind it waits too: replies
   * to decisions keep their order, and a client that cannot commit need not begin. What has waited
   * for long is refused, and so is what is behind it, until something goes on.
   */
  private boolean mustWaitWithRows(FrameType type, ByteBuf in, int index, int frameBytes) {
    refuseRows = false;
    int rows = FrameWork.rows(type, in, index, frameBytes);
    if (rows == 0) {
      return false;
    }
    if (!desk.mustWaitWithRows(share, rows)) {
      waitingSince = -1;
      return false;
    }
    if (waitingSince < 0) {
      waitingSince = desk.settings().nanoClock().getAsLong();
    }
    refuseRows = desk.isOverdue(waitingSince);
    return !refuseRows;
  }

  /** Looks again at what was put off, as far as this turn goes, and at what is unread. */
  void tryStartsAgain() {
    putOff.tryAgain();
    transport.resume();
  }

  /** Has a frame carried out that says nothing but how many timestamps it asks for. */
  void start(FrameType type, int count, int id) {
    long moves = desk.moves();
    serve(type, id, count, Unpooled.EMPTY_BUFFER, 0);
    spend(FrameWork.units(type, 0, count, share.quantum()), moves);
  }

  /** Charges a frame, and what it pushed out of the window: that is known only when it is done. */
  private void spend(long units, long movesBefore) {
    long moved = desk.moves() - movesBefore;
    desk.turns().spend(share, units + moved * UNITS_PER_MOVE);
  }

  /** Whether replies wait for the log. */
  public boolean isHolding() {
    return holding;
  }

  /** Asks the client whether it lives. */
  public void ping() {
    Frames.writeHeader(leaving(), FrameType.PING, 0, 0, 0);
  }

  private void introduce(FrameType type, ByteBuf body) throws FrameException {
    if (type == FrameType.HELLO) {
      introduction.greet(body);
      introduction.welcome(recognized(), frameId, desk.role());
    } else {
      introduction.authenticate(body, frameId);
    }
  }

  /** The client's identity may be known by now: where it is told so. */
  private ByteBuf recognized() throws FrameException {
    moveShare();
    transport.greeted(hello().clientName());
    return leaving();
  }

  private String standby() {
    return "this server is a standby; " + desk.role().whoLeads();
  }

  /** The role of the server is another one, or what it knows of the members. */
  void tell(ServerRole role) {
    if (hello() != null) { // otherwise it will be greeted so
      Handshake.writeRoleFrame(leaving(), role);
    }
  }

  /**
   * The server leads no more: what is held must not leave, as the log may lack what it rests on,
   * and what was put off is not carried out. The client learns both in the order of the lanes.
   */
  void dropReplies() {
    drop(starts);
    drop(decisions);
    putOff.takeAll(id -> sendBack(ErrorCode.NOT_LEADER, id));
    holding = false;
    waitingSince = -1;
  }

  private void drop(ReplyLane lane) {
    lane.release(
        Long.MAX_VALUE,
        dropped -> {
          ByteBuf replies = dropped.replies();
          int at = replies.readerIndex();
          while (at < replies.writerIndex()) {
            sendBack(ErrorCode.DEPOSED, Frames.frameId(replies, at));
            at += Frames.LENGTH_BYTES + replies.getInt(at);
          }
          replies.release();
        });
  }

  /** The client is to ask the leader, and keeps the connection. */
  private void sendBack(ErrorCode code, int id) {
    Frames.writeError(leaving(), id, code, standby());
  }

  /**
   * Has a frame carried out and its reply written where it waits.
   *
   * <p>An error in here leaves the oracle's state ahead of the log, or a reply half written: the
   * whole server ends, because nothing that it could still say is sure to be true.
   *
   * @return whether that went well
   */
  private boolean serve(FrameType type, int id, int count, ByteBuf in, int body) {
    try {
      RequestHandler handler = desk.handler();
      joinBurst();
      if (!mayAsk(type)) {
        introduction.denied(type);
        // In its place among the replies: the client takes them in order.
        ByteBuf out = replyAt(desk.sequencer().replyPosition(), type, count);
        Frames.writeError(out, id, ErrorCode.NOT_PERMITTED, identity().refusal(type));
        return true;
      }
      if (type == FrameType.VOUCH) {
        introduction.vouch(in, body, replyAt(desk.sequencer().replyPosition(), type, count), id);
        return true;
      }
      int hosts = desk.turns().hosts();
      long position = handler.handle(type, share.account, hosts, refuseRows, in, body, count);
      if (handler.strange() > 0) {
        introduction.strange(handler.strange());
      } else if (type == FrameType.SWEPT) {
        introduction.swept(count);
      }
      ByteBuf out = replyAt(position, type, count);
      int header = out.writerIndex();
      handler.writeReply(out, type, count, id, introduction.version());
      if (type.isCommit() && steps.isAsked()) {
        steps.decided(out, header, out != leaving);
        if (out != leaving) {
          decisions.tellSteps();
        }
      }
      return true;
    } catch (RuntimeException | Error e) {
      desk.stop(e);
      return false;
    }
  }

  private boolean mayAsk(FrameType type) {
    return hello().mode() == Handshake.Mode.ORACLE && identity().may(type);
  }

  private ByteBuf replyAt(long position, FrameType type, int count) {
    ReplyLane lane = type.isLogged() ? decisions : starts;
    if (lane.mayLeave(position, desk.sequencer().durable())) {
      if (type.isLogged()) {
        desk.settings().latencies().decided(0, count);
      } else {
        desk.settings().latencies().atOnce(count);
      }
      return leaving();
    }
    if (!holding) {
      holding = true;
      desk.holds(this);
    }
    long now = desk.settings().nanoClock().getAsLong();
    return lane.hold(position, count, now, transport.allocator());
  }

  private void echo(FrameType type, int count) {
    ByteBuf out = leaving();
    Frames.writeReplyHeader(out, type, count, frameId);
    for (int i = type.answersTo(count); i > 0; i--) {
      out.writeLong(Timestamps.GAP);
    }
  }

  private ByteBuf leaving() {
    joinBurst();
    if (leaving == null) {
      leaving = transport.allocator().ioBuffer(4096);
    }
    return leaving;
  }

  private void joinBurst() {
    if (!inBurst) {
      inBurst = true;
      desk.joinBurst(this);
    }
  }

  void endOfBurst() {
    inBurst = false;
    if (leaving != null) {
      writeLeaving();
      transport.flush();
    }
  }

  /** Writes the replies that may leave; they leave with the next flush. */
  public void writeLeaving() {
    if (leaving != null && !desk.isStopped()) {
      ByteBuf replies = leaving;
      leaving = null;
      transport.write(replies);
    }
  }

  /**
   * The log is durable up to a position, and decisions may leave up to one. Returns whether replies
   * are still held.
   */
  boolean release(long durable, long released) {
    writeLeaving(); // a reply that waited must not overtake one of its lane that did not
    starts.release(durable, exit);
    decisions.logged(durable, desk.settings().nanoClock());
    decisions.release(released, exit);
    transport.flush();
    holding = !starts.isEmpty() || !decisions.isEmpty();
    return holding;
  }

  private void leave(ReplyLane.Held held) {
    long now = desk.settings().nanoClock().getAsLong();
    desk.settings().latencies().decided(now - held.since(), held.requests());
    if (held.tellsSteps()) {
      StepClock.left(held.replies(), held.loggedNanos(now), now);
    }
    transport.write(held.replies());
  }

  /** The log has room again. */
  void tryAgain() {
    transport.resume();
  }

  /** Its host's turn has come, and within it that of this conversation. */
  void resume() {
    hasTurn = true;
    transport.resume();
    hasTurn = false;
  }

  /** The connection is over: drops its replies. */
  public void close() {
    desk.forget(this);
    desk.turns().leave(company, share, this);
    if (leaving != null) {
      leaving.release();
      leaving = null;
    }
    putOff.takeAll(id -> {});
    starts.clear();
    decisions.clear();
  }
}
