package io.retso.protocol;

/**
 * Kinds of requests, and the layout of their frames and of the replies. {@code n} is the frame's
 * count.
 *
 * <pre>
 *   request    body                                         reply body
 *   HELLO      magic u32, version min u16, version max u16, version u16, mode u8, 0 u8,
 *              mode u8, name length u8, name (UTF-8)        frame bytes max u32, rows max u32,
 *                                                           timestamp gap u32, epoch i64, id of the
 *                                                           oracle's log 2 x i64, text (its name), a
 *                                                           role, security u8 (0: nothing is asked,
 *                                                           1: a client may identify itself, 2: it must),
 *                                                           text (the client's name; empty if it is
 *                                                           not known), number of mechanisms u8, as
 *                                                           many texts
 *   BEGIN      empty; n start timestamps are wanted         first i64, n x ticket i64; the other
 *                                                           starts follow in steps of the gap
 *   COMMIT     n x (start i64, ticket i64,                  n x outcome i64, n x receipt i64,
 *                   flags and rows u32,                     for each outcome that is explained:
 *                   rows x row id i64)                      id i32, id i32, commit i64;
 *                                                           if the frame asks for them: 3 x i64,
 *                                                           how long its steps took
 *   COMMIT_    n x (start i64, ticket i64,                  as to COMMIT
 *   READS           flags and writes u32, validated u32,
 *                   reads u32, range reads u32,
 *                   range writes u32,
 *                   the ids of these five lists, each i64)
 *   STATUS     n x (writer's start i64, reader's start i64) n x outcome i64
 *   ABORT      n x (start i64, ticket i64)                  n x outcome i64, n x receipt i64
 *   CLEANED    n x (start i64, ticket i64)                  n x outcome i64
 *   PING       empty; a server asks it, too, of a client    empty
 *              that has sent nothing for a while
 *   WATERMARK  empty; n calls share the frame               low watermark i64, the same for all n
 *   SWEPT      n x (start i64, ticket i64)                  n x outcome i64
 *   TIMESTAMP  empty; n calls share the frame               timestamp i64, the same for all n
 *   SAFE       empty; n calls share the frame               safe snapshot i64, the same for all n
 *   AUTH       text (mechanism), length u16, as many bytes  done u8, text (the client's name), for how
 *                                                           many ms that counts i64 (0: for ever), length
 *                                                           u16, as many bytes
 *   KEYS       empty; n calls share the frame               two keys of receipts, 2 x i64 each; if
 *                                                           there is but one, the other is 0
 *   VOUCH      text (a user, as HBase calls it); one call   for how many ms it counts i64, length u16,
 *              a frame                                      as many bytes (a token of that user)
 *   HOLD       n x (number of the call i64, ms for which    n x outcome i64
 *                   it lasts i64, name)
 *   RENEW      n x snapshot i64                             n x outcome i64
 *   RELEASE    n x snapshot i64                             n x outcome i64
 *   HOLDS      empty; n calls share the frame               for each snapshot that is held: snapshot
 *                                                           i64, ms for which it lasts i64, ms since
 *                                                           1970 when it was taken i64, ms until it
 *                                                           ends i64, name
 *   -          -                                            ERROR: code u16, length u16, text (UTF-8)
 *   -          -                                            ROLE: epoch i64, and a role
 *
 *   a role     leads u8 (1: the server leads, 0: it is a standby), text (name of the leader),
 *              text (address of the leader), number of members u8, as many texts (their addresses)
 *   a text     length u8, ASCII
 *   a name     64 bytes, ASCII, zeros behind it: see {@link Holding}
 * </pre>
 *
 * <p>The {@code flags and rows} word of a commit holds the number of rows in its lower 24 bits and
 * {@link #REPEAT_FLAG} above; that of COMMIT_READS holds {@link #SERIALIZABLE_FLAG}, too. Outcomes
 * are the numbers of {@link Outcome}. A ticket proves that a client began the transaction: without
 * the right one a request is answered {@link Outcome#NOT_OWNER}. A receipt proves a decided outcome
 * to those that have a key; it is 0 if the outcome is not decided, or the server makes none.
 *
 * <p>Of {@link Outcome#isExplained} outcomes a server of version {@link Handshake#EXPLAINS} or
 * later says why: which id of the request met which commit, and of a pivot, which other id was read
 * by others. An id is a place among the ids of all lists of the request, from 0 on, or {@link
 * #NO_ID}; the commit is 0 if it is not known.
 *
 * <p>HOLD and what follows it are known from version {@link Handshake#HOLDS} on. HOLD is answered
 * with the snapshot, a timestamp, or with an outcome that says why there is none. A copy of the
 * same call, which has the same number, gets the same snapshot.
 *
 * <p>From version {@link Handshake#STEPS} on a frame of commits may ask, by bit 0 of the flags in
 * its header, how long its steps took. The reply has the flag, too, and ends with the microseconds
 * from the frame's arrival to the decision, from there until that was durable, and from there until
 * the reply left: see {@link Steps}.
 */
public enum FrameType {
  HELLO(1, Body.OWN, Answers.OWN),
  BEGIN(2, Body.COUNT, Answers.TICKETS),
  COMMIT(3, Body.ROWS, Answers.COMMITS),
  STATUS(4, Body.PAIRS, Answers.EACH),
  ABORT(5, Body.TICKETS, Answers.RECEIPTS),
  CLEANED(6, Body.TICKETS, Answers.EACH),
  PING(7, Body.EMPTY, Answers.NONE),
  WATERMARK(8, Body.COUNT, Answers.ONE),
  SWEPT(9, Body.TICKETS, Answers.EACH),
  TIMESTAMP(10, Body.COUNT, Answers.ONE),
  COMMIT_READS(11, Body.READS, Answers.COMMITS),
  SAFE(12, Body.COUNT, Answers.ONE),
  AUTH(13, Body.OWN, Answers.OWN),
  KEYS(14, Body.COUNT, Answers.KEYS),
  VOUCH(15, Body.OWN, Answers.OWN),
  HOLD(16, Body.HOLD, Answers.EACH),
  RENEW(17, Body.SNAPSHOT, Answers.EACH),
  RELEASE(18, Body.SNAPSHOT, Answers.EACH),
  HOLDS(19, Body.COUNT, Answers.HOLDS);

  /** What a request frame has behind its header. */
  enum Body {
    /** A layout of its own: {@link Handshake}. */
    OWN,
    /** Nothing, and it has no requests. */
    EMPTY,
    /** Nothing: the count of requests says all. */
    COUNT,
    /** A start timestamp and its ticket for each request. */
    TICKETS,
    /** Two timestamps for each request. */
    PAIRS,
    /** A start and its ticket, a word of flags and the number of rows, and the rows, for each. */
    ROWS,
    /** As {@link #ROWS}, but five lists of ids, and their lengths ahead of them. */
    READS,
    /** What {@link Holding} writes, for each request. */
    HOLD,
    /** A timestamp for each request. */
    SNAPSHOT
  }

  /** What a reply frame has behind its header. */
  enum Answers {
    /** A layout of its own: {@link Handshake}. */
    OWN,
    /** Nothing. */
    NONE,
    /** One number for all requests. */
    ONE,
    /** One number for all requests, and another for each. */
    TICKETS,
    /** A number for each request. */
    EACH,
    /** A number for each request, and then another for each. */
    RECEIPTS,
    /** As {@link #RECEIPTS}, and then two numbers for each outcome that is explained, or none. */
    COMMITS,
    /** Keys, the same for all requests. */
    KEYS,
    /** As many reports of held snapshots as there are, the same for all requests. */
    HOLDS
  }

  /** Numbers in the reply to KEYS: two keys of 16 bytes. */
  public static final int KEYS_NUMBERS = 4;

  /** Numbers that explain why a commit was refused. */
  public static final int REFUSAL_NUMBERS = 2;

  /** In place of an id among those that explain why a commit was refused: there is none. */
  public static final int NO_ID = -1;

  /** Set in the type of every reply. */
  public static final int REPLY = 0x80;

  /** The reply to a frame that cannot be answered: {@link ErrorCode}. */
  public static final int ERROR = 0xff;

  /** Sent by a server unasked when its role changes, or what it knows of the other members. */
  public static final int ROLE = 0xfe;

  /**
   * Set on a commit that was sent before and whose reply was lost. Only then can a commit that is
   * older than everything the oracle remembers be {@link Outcome#UNKNOWN}; a first request of that
   * age is certainly aborted. And only a repeat gets the outcome of a transaction that is
   * committed: a first request gets {@link Outcome#ALREADY_COMMITTED}.
   */
  public static final int REPEAT_FLAG = 1 << 31;

  /** Set on a COMMIT_READS whose reads are certified. */
  public static final int SERIALIZABLE_FLAG = 1 << 30;

  /** The bits of a commit's second word that count its rows. */
  public static final int ROWS_MASK = (1 << 24) - 1;

  private static final FrameType[] BY_NUMBER = new FrameType[values().length + 1];

  static {
    for (FrameType type : values()) {
      BY_NUMBER[type.number] = type;
    }
  }

  private final int number;
  private final Body body;
  private final Answers answers;

  FrameType(int number, Body body, Answers answers) {
    this.number = number;
    this.body = body;
    this.answers = answers;
  }

  /** The type byte of a request. */
  public int request() {
    return number;
  }

  /** The type byte of a reply. */
  public int reply() {
    return number | REPLY;
  }

  /** The request with this type byte; {@code null} if there is none. */
  public static FrameType ofRequest(int typeByte) {
    return typeByte < BY_NUMBER.length ? BY_NUMBER[typeByte] : null;
  }

  /** The request to which a frame with this type byte replies; {@code null} if there is none. */
  public static FrameType ofReply(int typeByte) {
    return typeByte < REPLY ? null : ofRequest(typeByte & ~REPLY);
  }

  Body body() {
    return body;
  }

  Answers answers() {
    return answers;
  }

  /**
   * The numbers in the reply to a frame of {@code count} requests, without those that explain
   * outcomes; 0 for a layout of its own, and for a list of held snapshots that is empty.
   */
  public int answersTo(int count) {
    return switch (answers) {
      case OWN, NONE, HOLDS -> 0;
      case ONE -> 1;
      case TICKETS -> 1 + count;
      case EACH -> count;
      case RECEIPTS, COMMITS -> 2 * count;
      case KEYS -> KEYS_NUMBERS;
    };
  }

  /** Whether it is about held snapshots: {@link Handshake#HOLDS}. */
  public boolean isAboutHolds() {
    return this == HOLD || this == RENEW || this == RELEASE || this == HOLDS;
  }

  /** Whether it asks to commit transactions, of which each takes a timestamp. */
  public boolean isCommit() {
    return this == COMMIT || this == COMMIT_READS;
  }

  /** Whether the reply waits for the log: it travels in the log lane. */
  public boolean isLogged() {
    return switch (this) {
      case COMMIT, COMMIT_READS, STATUS, ABORT, CLEANED, WATERMARK, SWEPT -> true;
      case HOLD, RENEW, RELEASE, HOLDS -> true;
      case HELLO, BEGIN, TIMESTAMP, SAFE, PING, AUTH, KEYS, VOUCH -> false;
    };
  }

  /** The name of a request's or a reply's type byte, for messages. */
  public static String nameOf(int typeByte) {
    if (typeByte == ERROR) {
      return "ERROR";
    }
    if (typeByte == ROLE) {
      return "ROLE";
    }
    FrameType type = ofRequest(typeByte & ~REPLY);
    return type == null ? "type " + typeByte : type.name();
  }
}
