package io.retso.protocol;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Frames as a right sender makes them, with random contents. */
final class RandomFrames {
  /** Those of {@link #COUNTED} that all have the same answer. */
  private static final FrameType[] SHARED = {
    FrameType.TIMESTAMP, FrameType.SAFE, FrameType.WATERMARK
  };

  /** Requests that have no body: the count says all. */
  private static final FrameType[] COUNTED = {
    FrameType.BEGIN, FrameType.TIMESTAMP, FrameType.SAFE, FrameType.WATERMARK
  };

  private RandomFrames() {}

  /** Requests that a server accepts. */
  static Arbitrary<byte[]> requests() {
    Arbitrary<byte[]> hello =
        Arbitraries.strings()
            .ofMaxLength(20)
            .map(
                name -> {
                  ByteBuf out = Unpooled.buffer();
                  Handshake.writeHello(
                      out, 0, new Handshake.Hello(1, 1, Handshake.Mode.ORACLE, name));
                  return bytesOf(out);
                });
    Arbitrary<byte[]> begin =
        Arbitraries.integers()
            .between(1, Limits.FRAME_TIMESTAMPS_MAX)
            .flatMap(
                count ->
                    Arbitraries.of(COUNTED).map(type -> frame(type.request(), count, new long[0])));
    Arbitrary<byte[]> fixed =
        Combinators.combine(
                Arbitraries.of(
                    FrameType.STATUS, FrameType.ABORT, FrameType.CLEANED, FrameType.SWEPT),
                Arbitraries.longs().array(long[].class).ofMinSize(1).ofMaxSize(20))
            .as((type, words) -> frame(type.request(), words.length, doubled(words)));
    Arbitrary<byte[]> ofRows =
        Arbitraries.longs()
            .array(long[].class)
            .ofMaxSize(12)
            .list()
            .ofMinSize(1)
            .ofMaxSize(6)
            .map(RandomFrames::frameOfRows);
    Arbitrary<byte[]> ping =
        Arbitraries.of(0, 1).map(n -> frame(FrameType.PING.request(), n, new long[0]));
    return Arbitraries.oneOf(hello, begin, fixed, ofRows, ofReads(), ping);
  }

  private static Arbitrary<byte[]> ofReads() {
    Arbitrary<List<long[]>> lists =
        Arbitraries.longs().array(long[].class).ofMaxSize(4).list().ofSize(5);
    return lists.list().ofMinSize(1).ofMaxSize(4).map(RandomFrames::frameOfReads);
  }

  /** Replies that a client accepts. */
  static Arbitrary<byte[]> replies() {
    Arbitrary<byte[]> begin =
        Arbitraries.longs()
            .array(long[].class)
            .ofMinSize(2)
            .ofMaxSize(20)
            .map(words -> frame(FrameType.BEGIN.reply(), words.length - 1, words));
    Arbitrary<byte[]> shared =
        Combinators.combine(
                Arbitraries.of(SHARED),
                Arbitraries.integers().between(1, 65535),
                Arbitraries.longs())
            .as((type, count, answer) -> frame(type.reply(), count, new long[] {answer}));
    Arbitrary<byte[]> outcomes =
        Combinators.combine(
                Arbitraries.of(
                    FrameType.COMMIT,
                    FrameType.COMMIT_READS,
                    FrameType.STATUS,
                    FrameType.ABORT,
                    FrameType.CLEANED,
                    FrameType.SWEPT),
                Arbitraries.longs().array(long[].class).ofMinSize(1).ofMaxSize(20))
            .as(
                (type, words) ->
                    frame(
                        type.reply(),
                        words.length,
                        type.isCommit() || type == FrameType.ABORT ? doubled(words) : words));
    Arbitrary<byte[]> keys =
        Arbitraries.longs()
            .array(long[].class)
            .ofSize(FrameType.KEYS_NUMBERS)
            .map(words -> frame(FrameType.KEYS.reply(), 3, words));
    Arbitrary<byte[]> error =
        Arbitraries.strings()
            .ofMaxLength(50)
            .map(
                text -> {
                  ByteBuf out = Unpooled.buffer();
                  Frames.writeError(out, 9, ErrorCode.LOG_FAILED, text);
                  return bytesOf(out);
                });
    return Arbitraries.oneOf(begin, shared, outcomes, keys, error, RoleFuzzTest.frames());
  }

  private static long[] doubled(long[] words) {
    long[] both = Arrays.copyOf(words, 2 * words.length);
    System.arraycopy(words, 0, both, words.length, words.length);
    return both;
  }

  /** Commits, some of them repeated. */
  private static byte[] frameOfRows(List<long[]> requests) {
    ByteBuf out = Unpooled.buffer();
    Frames.writeHeader(out, FrameType.COMMIT, 0, 5, 0);
    for (long[] rows : requests) {
      boolean repeat = rows.length % 2 == 0;
      out.writeLong(160).writeLong(~rows.length);
      out.writeInt(rows.length | (repeat ? FrameType.REPEAT_FLAG : 0));
      for (long row : rows) {
        out.writeLong(row);
      }
    }
    Frames.finishFrame(out, 0, requests.size());
    return bytesOf(out);
  }

  /** Commits with five lists of ids each, some of them serializable, some repeated. */
  private static byte[] frameOfReads(List<List<long[]>> requests) {
    ByteBuf out = Unpooled.buffer();
    Frames.writeHeader(out, FrameType.COMMIT_READS, 0, 5, 0);
    for (List<long[]> lists : requests) {
      boolean repeat = lists.get(1).length % 2 == 0;
      boolean serializable = lists.get(2).length % 2 == 0;
      int flags = repeat ? FrameType.REPEAT_FLAG : 0;
      out.writeLong(160)
          .writeLong(-lists.size())
          .writeInt(lists.get(0).length | flags | (serializable ? FrameType.SERIALIZABLE_FLAG : 0));
      lists.subList(1, 5).forEach(list -> out.writeInt(list.length));
      for (long[] list : lists) {
        for (long id : list) {
          out.writeLong(id);
        }
      }
    }
    Frames.finishFrame(out, 0, requests.size());
    return bytesOf(out);
  }

  static byte[] frame(int type, int count, long[] words) {
    ByteBuf out = Unpooled.buffer();
    Frames.writeHeader(out, type, count, 5, words.length * Long.BYTES);
    for (long word : words) {
      out.writeLong(word);
    }
    return bytesOf(out);
  }

  static byte[] bytesOf(ByteBuf out) {
    byte[] bytes = new byte[out.readableBytes()];
    out.getBytes(out.readerIndex(), bytes);
    return bytes;
  }
}
