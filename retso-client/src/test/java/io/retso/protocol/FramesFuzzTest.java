package io.retso.protocol;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

/**
 * Whatever arrives, the decoder throws {@link FrameException} or nothing, and never looks outside
 * of the bytes that arrived: buffers here end exactly where the bytes do.
 */
class FramesFuzzTest {
  private static final int KNOWN_FLAGS =
      FrameType.REPEAT_FLAG | FrameType.SERIALIZABLE_FLAG | FrameType.ROWS_MASK;

  /** What a receiver does with a stream of bytes; the number of frames that it accepted. */
  private static int receive(byte[] bytes, boolean replies) {
    ByteBuf in = Unpooled.wrappedBuffer(bytes);
    int frames = 0;
    int index = 0;
    try {
      while (true) {
        int size = Frames.frameBytes(in, index);
        if (size == 0 || in.writerIndex() - index < size) {
          return frames;
        }
        assertTrue(size >= Frames.HEADER_BYTES);
        if (replies) {
          Frames.checkReply(in, index, size);
          readReply(in, index, size);
        } else {
          Frames.checkRequest(in, index, size);
          readRequest(in, index, size);
        }
        frames++;
        index += size;
      }
    } catch (FrameException e) {
      assertTrue(e.code() != null && !e.getMessage().isBlank());
      return frames;
    }
  }

  private static void readRequest(ByteBuf in, int index, int size) throws FrameException {
    int body = index + Frames.HEADER_BYTES;
    int count = Frames.count(in, index);
    int end = index + size;
    FrameType type = Frames.requestType(in, index);
    switch (type) {
      case HELLO -> {
        in.readerIndex(body);
        Handshake.readHello(in, size - Frames.HEADER_BYTES);
        assertEquals(end, in.readerIndex());
      }
      case COMMIT -> {
        int at = body;
        for (int i = 0; i < count; i++) {
          int rows = in.getInt(at + Frames.TICKET_BYTES) & FrameType.ROWS_MASK;
          assertTrue(rows <= Limits.TRANSACTION_ROWS_MAX);
          int bytes = Frames.COMMIT_FIXED_BYTES + rows * Long.BYTES;
          assertEquals(bytes, Frames.ownedBytes(type, in, at));
          at += bytes;
        }
        assertEquals(end, at);
      }
      case COMMIT_READS -> {
        int at = body;
        for (int i = 0; i < count; i++) {
          long ids = Frames.idsOfReads(in, at);
          assertTrue(ids <= Limits.TRANSACTION_IDS_MAX);
          int bytes = Frames.COMMIT_READS_FIXED_BYTES + (int) ids * Long.BYTES;
          assertEquals(bytes, Frames.ownedBytes(type, in, at));
          at += bytes;
        }
        assertEquals(end, at);
      }
      case STATUS -> assertEquals(end, body + count * Frames.STATUS_BYTES);
      case ABORT, CLEANED, SWEPT -> {
        assertEquals(Frames.TICKET_BYTES, Frames.ownedBytes(type, in, body));
        assertEquals(end, body + count * Frames.TICKET_BYTES);
      }
      case VOUCH -> assertTrue(Vouching.isUser(Vouching.readUser(in.slice(body, end - body))));
      case HOLD -> {
        for (int at = body; at < end; at += Holding.REQUEST_BYTES) {
          assertTrue(Holding.isName(Holding.name(in, at)));
          assertTrue(Holding.isTtl(Holding.ttlMillis(in, at)));
        }
      }
      case RENEW, RELEASE -> assertEquals(end, body + count * Long.BYTES);
      case BEGIN, TIMESTAMP, SAFE, PING, WATERMARK, KEYS, HOLDS -> assertEquals(end, body);
    }
  }

  private static void readReply(ByteBuf in, int index, int size) throws FrameException {
    int body = index + Frames.HEADER_BYTES;
    if (Frames.isError(in, index)) {
      Frames.errorCode(in, index);
      assertTrue(Frames.errorText(in, index).length() <= size);
      return;
    }
    if (Frames.isRole(in, index)) {
      Handshake.readRole(in.slice(body, size - Frames.HEADER_BYTES));
      return;
    }
    switch (Frames.replyType(in, index)) {
      case HELLO -> Handshake.readWelcome(in.slice(body, size - Frames.HEADER_BYTES));
      case BEGIN -> assertEquals(index + size, body + (1 + Frames.count(in, index)) * Long.BYTES);
      case TIMESTAMP, SAFE, WATERMARK -> assertEquals(index + size, body + Long.BYTES);
      case PING -> assertEquals(index + size, body);
      case HOLDS ->
          Holding.reports(in, index).forEach(hold -> assertTrue(Holding.isName(hold.name())));
      case STATUS, CLEANED, SWEPT, HOLD, RENEW, RELEASE ->
          assertEquals(index + size, body + Frames.count(in, index) * Long.BYTES);
      case ABORT -> assertEquals(index + size, body + Frames.count(in, index) * 2 * Long.BYTES);
      case COMMIT, COMMIT_READS -> {
        int answersEnd = body + Frames.count(in, index) * 2 * Long.BYTES;
        int refusals = Frames.refusals(in, index);
        assertEquals(index + size > answersEnd ? answersEnd : 0, refusals);
        for (int at = refusals; at > 0 && at < index + size; at += Frames.REFUSAL_BYTES) {
          Frames.offending(in.getLong(at) ^ in.getLong(at + Long.BYTES));
        }
      }
      case VOUCH -> {
        ByteBuf answer = in.slice(body, size - Frames.HEADER_BYTES);
        Vouching.readLastsMillis(answer);
        Vouching.readToken(answer);
      }
      case KEYS -> assertEquals(index + size, body + FrameType.KEYS_NUMBERS * Long.BYTES);
    }
  }

  @Property
  void randomBytesAreHarmless(@ForAll byte[] bytes) {
    receive(bytes, false);
    receive(bytes, true);
  }

  /** Random bodies behind a plausible header get further than random bytes. */
  @Property
  void randomBodiesAreHarmless(
      @ForAll @IntRange(max = 255) int type,
      @ForAll @IntRange(max = 5) int count,
      @ForAll @Size(max = 80) byte[] body) {
    ByteBuf out = Unpooled.buffer();
    Frames.writeHeader(out, type, count, 7, body.length);
    out.writeBytes(body);
    receive(RandomFrames.bytesOf(out), false);
    receive(RandomFrames.bytesOf(out), true);
  }

  @Property
  void randomHellosAreHarmless(@ForAll @Size(max = 90) byte[] body) {
    ByteBuf in = Unpooled.wrappedBuffer(body);
    if (body.length >= 4) {
      in.setInt(0, Handshake.MAGIC);
    }
    try {
      Handshake.Hello hello = Handshake.readHello(in, body.length);
      assertTrue(hello.clientName().length() <= Limits.CLIENT_NAME_BYTES_MAX);
    } catch (FrameException e) {
      assertEquals(ErrorCode.MALFORMED_FRAME, e.code());
    }
  }

  @Property
  void validRequestsAreAccepted(@ForAll("requests") byte[] frame) {
    assertEquals(1, receive(frame, false));
    assertEquals(0, receive(frame, true));
    byte[] twice = Arrays.copyOf(frame, 2 * frame.length);
    System.arraycopy(frame, 0, twice, frame.length, frame.length);
    assertEquals(2, receive(twice, false));
  }

  @Property
  void validRepliesAreAccepted(@ForAll("replies") byte[] frame) {
    assertEquals(1, receive(frame, true));
    assertEquals(0, receive(frame, false));
  }

  @Property
  void truncatedFramesAreAwaitedNotAccepted(
      @ForAll("requests") byte[] frame, @ForAll @IntRange(max = 1 << 20) int cut) {
    assertEquals(0, receive(Arrays.copyOf(frame, cut % frame.length), false));
  }

  /** The length field lies: the frame ends early, or swallows bytes of the next. */
  @Property
  void frameOfAnotherLengthIsRefused(
      @ForAll("requests") byte[] frame, @ForAll @IntRange(min = -20, max = 20) int change) {
    ByteBuf buffer = Unpooled.buffer().writeBytes(frame).writeZero(20);
    buffer.setInt(0, frame.length - Frames.LENGTH_BYTES + change);
    int accepted = receive(RandomFrames.bytesOf(buffer), false);
    assertTrue(change == 0 ? accepted >= 1 : accepted <= 1);
    if (change != 0 && frame[4] != FrameType.HELLO.request()) {
      assertEquals(0, accepted);
    }
  }

  @Property(tries = 3000)
  void mutatedFramesAreHarmless(
      @ForAll("anyFrame") byte[] frame,
      @ForAll @Size(min = 1, max = 4) int[] places,
      @ForAll @Size(min = 4, max = 4) byte[] values) {
    byte[] mutated = frame.clone();
    for (int i = 0; i < places.length; i++) {
      mutated[Math.floorMod(places[i], mutated.length)] = values[i];
    }
    receive(mutated, false);
    receive(mutated, true);
  }

  @Property
  void helloComesBack(
      @ForAll @IntRange(max = 65535) int min,
      @ForAll @IntRange(max = 65535) int max,
      @ForAll Handshake.Mode mode,
      @ForAll String name)
      throws FrameException {
    ByteBuf out = Unpooled.buffer();
    Handshake.writeHello(out, 3, new Handshake.Hello(min, max, mode, name));
    int size = Frames.frameBytes(out, 0);
    assertEquals(out.writerIndex(), size);
    Frames.checkRequest(out, 0, size);
    out.readerIndex(Frames.HEADER_BYTES);
    Handshake.Hello hello = Handshake.readHello(out, size - Frames.HEADER_BYTES);
    assertEquals(min, hello.versionMin());
    assertEquals(max, hello.versionMax());
    assertEquals(mode, hello.mode());
    byte[] utf8 = name.getBytes(StandardCharsets.UTF_8);
    byte[] read = hello.clientName().getBytes(StandardCharsets.UTF_8);
    assertArrayEquals(Arrays.copyOf(utf8, read.length), read, "a prefix of whole characters");
    assertTrue(read.length == utf8.length || read.length > Limits.CLIENT_NAME_BYTES_MAX - 4);
  }

  @Property
  void errorComesBack(@ForAll ErrorCode code, @ForAll int id, @ForAll String text)
      throws FrameException {
    ByteBuf out = Unpooled.buffer();
    Frames.writeError(out, id, code, text.repeat(3));
    int size = Frames.frameBytes(out, 0);
    Frames.checkReply(out, 0, size);
    assertEquals(FrameType.ERROR, Frames.typeByte(out, 0));
    assertEquals(id, Frames.frameId(out, 0));
    assertEquals(code, Frames.errorCode(out, 0));
    assertTrue(out.readableBytes() <= Frames.HEADER_BYTES + 4 + Limits.ERROR_TEXT_BYTES_MAX);
  }

  /** Every ticket has its begin, and every begin its ticket. */
  @Property
  void repliesToBeginsHaveATicketForEach(
      @ForAll @IntRange(max = 20) int count, @ForAll @Size(max = 22) long[] words) {
    byte[] reply = RandomFrames.frame(FrameType.BEGIN.reply(), count, words);
    boolean fits = count > 0 && words.length == 1 + count;
    assertEquals(fits ? 1 : 0, receive(reply, true));
    long[] fitting = Arrays.copyOf(words, 1 + count);
    assertEquals(
        count > 0 ? 1 : 0,
        receive(RandomFrames.frame(FrameType.BEGIN.reply(), count, fitting), true));
  }

  /** Each outcome that is explained has its explanation, or none of them has. */
  @Property
  void repliesToCommitsExplainAllRefusalsOrNone(
      @ForAll @Size(min = 1, max = 20) List<@LongRange(min = -20, max = 20) Long> outcomes,
      @ForAll @IntRange(max = 50) int more)
      throws FrameException {
    int count = outcomes.size();
    int explained = (int) outcomes.stream().filter(Outcome::isExplained).count();
    long[] words = new long[2 * count + more];
    for (int i = 0; i < count; i++) {
      words[i] = outcomes.get(i);
    }
    for (FrameType type : List.of(FrameType.COMMIT, FrameType.COMMIT_READS)) {
      boolean fits = more == 0 || more == FrameType.REFUSAL_NUMBERS * explained;
      assertEquals(fits ? 1 : 0, receive(RandomFrames.frame(type.reply(), count, words), true));
      ByteBuf reply = Unpooled.buffer();
      Frames.writeReplyHeader(reply, type, count, explained, 7);
      reply.writeZero(Frames.frameBytes(reply, 0) - Frames.HEADER_BYTES);
      int at = Frames.HEADER_BYTES + 2 * count * Long.BYTES;
      assertEquals(explained == 0 ? 0 : at, Frames.refusals(reply, 0));
    }
  }

  @Property
  void placesOfIdsComeBack(@ForAll int offending, @ForAll int alsoRead) {
    long refusal = Frames.refusal(offending, alsoRead);
    assertEquals(offending, Frames.offending(refusal));
    assertEquals(alsoRead, Frames.alsoRead(refusal));
  }

  @Property
  void tooManyRowsAreTooLarge(
      @ForAll @IntRange(min = Limits.TRANSACTION_ROWS_MAX + 1, max = FrameType.ROWS_MASK)
          int rows) {
    ByteBuf out = Unpooled.buffer();
    Frames.writeHeader(out, FrameType.COMMIT, 1, 1, Frames.COMMIT_FIXED_BYTES);
    out.writeLong(16).writeLong(-1).writeInt(rows);
    FrameException e =
        assertThrows(FrameException.class, () -> Frames.checkRequest(out, 0, out.readableBytes()));
    assertEquals(ErrorCode.TOO_LARGE, e.code());
  }

  /** Each list may be as long as 32 bits say; no sum of five of them is taken for a small one. */
  @Property
  void idsAreAddedUpWithoutOverflow(
      @ForAll @IntRange(max = FrameType.ROWS_MASK) int writes,
      @ForAll @Size(min = 4, max = 4) int[] others,
      @ForAll boolean serializable) {
    long sum = writes;
    ByteBuf out = Unpooled.buffer();
    Frames.writeHeader(out, FrameType.COMMIT_READS, 1, 1, Frames.COMMIT_READS_FIXED_BYTES);
    out.writeLong(16).writeLong(-1);
    out.writeInt(writes | (serializable ? FrameType.SERIALIZABLE_FLAG : 0));
    for (int other : others) {
      out.writeInt(other);
      sum += Integer.toUnsignedLong(other);
    }
    assertEquals(sum, Frames.idsOfReads(out, Frames.HEADER_BYTES));
    if (sum > 0) {
      FrameException e =
          assertThrows(
              FrameException.class, () -> Frames.checkRequest(out, 0, out.readableBytes()));
      boolean isTooLarge = sum > Limits.TRANSACTION_IDS_MAX || writes > Limits.TRANSACTION_ROWS_MAX;
      assertEquals(isTooLarge ? ErrorCode.TOO_LARGE : ErrorCode.MALFORMED_FRAME, e.code());
    }
  }

  @Property
  void unknownFlagsOfCommitsAreRefused(@ForAll @IntRange(min = 24, max = 31) int bit)
      throws FrameException {
    for (FrameType type : new FrameType[] {FrameType.COMMIT, FrameType.COMMIT_READS}) {
      boolean isReads = type == FrameType.COMMIT_READS;
      int bytes = isReads ? Frames.COMMIT_READS_FIXED_BYTES : Frames.COMMIT_FIXED_BYTES;
      ByteBuf out = Unpooled.buffer();
      Frames.writeHeader(out, type, 1, 1, bytes);
      out.writeLong(16).writeLong(-1).writeInt(1 << bit);
      out.writeZero(bytes - Frames.COMMIT_FIXED_BYTES);
      int known = isReads ? KNOWN_FLAGS : KNOWN_FLAGS & ~FrameType.SERIALIZABLE_FLAG;
      if ((1 << bit & known) != 0) {
        Frames.checkRequest(out, 0, out.readableBytes());
      } else {
        FrameException e =
            assertThrows(
                FrameException.class, () -> Frames.checkRequest(out, 0, out.readableBytes()));
        assertEquals(ErrorCode.MALFORMED_FRAME, e.code());
      }
    }
  }

  @Provide
  Arbitrary<byte[]> requests() {
    return RandomFrames.requests();
  }

  @Provide
  Arbitrary<byte[]> replies() {
    return RandomFrames.replies();
  }

  @Provide
  Arbitrary<byte[]> anyFrame() {
    return Arbitraries.oneOf(requests(), replies());
  }
}
