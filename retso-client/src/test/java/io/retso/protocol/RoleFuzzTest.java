package io.retso.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.AlphaChars;
import net.jqwik.api.constraints.Chars;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.NumericChars;
import net.jqwik.api.constraints.Size;
import net.jqwik.api.constraints.StringLength;

/** Roles and greetings come back as they were, and whatever else arrives is refused. */
class RoleFuzzTest {
  private static final OracleIdentity ORACLE = new OracleIdentity(new UUID(1, 2), "x");

  @Provide
  static Arbitrary<ServerRole> roles() {
    Arbitrary<String> name =
        Arbitraries.strings().alpha().numeric().withChars("._-").ofMaxLength(63).map(n -> "n" + n);
    Arbitrary<String> host =
        Arbitraries.oneOf(
            name, Arbitraries.of("[::1]", "[fe80::1%eth0]", "127.0.0.1", "h".repeat(249)));
    Arbitrary<String> address =
        Combinators.combine(host, Arbitraries.integers().between(1, 65_535))
            .as((where, port) -> where + ":" + port);
    return Combinators.combine(
            Arbitraries.of(true, false),
            Arbitraries.longs(),
            Arbitraries.oneOf(name, Arbitraries.just("")),
            Arbitraries.oneOf(address, Arbitraries.just("")),
            address.list().ofMaxSize(Limits.MEMBERS_MAX))
        .as(ServerRole::new);
  }

  /** Complete frames that tell a role, of both kinds. */
  static Arbitrary<byte[]> frames() {
    return roles()
        .map(
            role -> {
              ByteBuf out = Unpooled.buffer();
              if (role.leads()) {
                Handshake.writeRoleFrame(out, role);
              } else {
                Handshake.writeWelcome(out, 3, welcome(role));
              }
              byte[] bytes = new byte[out.readableBytes()];
              out.readBytes(bytes);
              return bytes;
            });
  }

  private static Handshake.Welcome welcome(ServerRole role) {
    return new Handshake.Welcome(
        Handshake.VERSION_MAX,
        Handshake.Mode.ORACLE,
        Limits.FRAME_BYTES_MAX,
        10,
        16,
        ORACLE,
        role,
        Authentication.Offer.NONE);
  }

  private static ByteBuf bodyOf(ByteBuf frame) throws FrameException {
    int size = Frames.frameBytes(frame, 0);
    assertEquals(frame.writerIndex(), size);
    Frames.checkReply(frame, 0, size);
    return frame.slice(Frames.HEADER_BYTES, size - Frames.HEADER_BYTES);
  }

  @Property
  void roleComesBack(@ForAll("roles") ServerRole role) throws FrameException {
    ByteBuf out = Unpooled.buffer();
    Handshake.writeRoleFrame(out, role);
    assertTrue(Frames.isRole(out, 0));
    assertEquals(role, Handshake.readRole(bodyOf(out)));
  }

  @Property
  void welcomeComesBack(
      @ForAll @IntRange(max = 65535) int version,
      @ForAll Handshake.Mode mode,
      @ForAll int bytes,
      @ForAll int rows,
      @ForAll int gap,
      @ForAll("roles") ServerRole role,
      @ForAll @AlphaChars @NumericChars @Chars({'.', '_', '-'}) @StringLength(max = 63) String name)
      throws FrameException {
    OracleIdentity oracle = new OracleIdentity(new UUID(~role.epoch(), bytes), "x" + name);
    ByteBuf out = Unpooled.buffer();
    Handshake.writeWelcome(
        out,
        3,
        new Handshake.Welcome(
            version, mode, bytes, rows, gap, oracle, role, Authentication.Offer.NONE));
    assertEquals(
        new Handshake.Welcome(
            version, mode, bytes, rows, gap, oracle, role, Authentication.Offer.NONE),
        Handshake.readWelcome(bodyOf(out)));
  }

  /** Every cut and every addition is an error, not another role. */
  @Property
  void aBodyOfAnotherLengthIsRefused(
      @ForAll("roles") ServerRole role, @ForAll @IntRange(max = 1 << 13) int cut)
      throws FrameException {
    ByteBuf out = Unpooled.buffer();
    Handshake.writeRoleFrame(out, role);
    ByteBuf body = bodyOf(out);
    ByteBuf part = body.slice(0, cut % body.readableBytes());
    assertThrows(FrameException.class, () -> Handshake.readRole(part));
    ByteBuf longer = Unpooled.copiedBuffer(body).writeByte(0);
    assertThrows(FrameException.class, () -> Handshake.readRole(longer));
    out.clear();
    Handshake.writeWelcome(out, 3, welcome(role));
    ByteBuf greeting = bodyOf(out);
    ByteBuf cutGreeting = greeting.slice(0, cut % greeting.readableBytes());
    assertThrows(FrameException.class, () -> Handshake.readWelcome(cutGreeting));
    ByteBuf longGreeting = Unpooled.copiedBuffer(greeting).writeByte(0);
    assertThrows(FrameException.class, () -> Handshake.readWelcome(longGreeting));
  }

  /** Whatever is accepted can be written again, and is the same then. */
  @Property(tries = 3000)
  void randomBodiesAreHarmless(
      @ForAll("roles") ServerRole role,
      @ForAll @Size(min = 1, max = 4) int[] places,
      @ForAll @Size(min = 4, max = 4) byte[] values)
      throws FrameException {
    ByteBuf out = Unpooled.buffer();
    Handshake.writeRoleFrame(out, role);
    ByteBuf body = bodyOf(out);
    for (int i = 0; i < places.length; i++) {
      body.setByte(Math.floorMod(places[i], body.readableBytes()), values[i]);
    }
    try {
      ServerRole read = Handshake.readRole(body);
      ByteBuf again = Unpooled.buffer();
      Handshake.writeRoleFrame(again, read);
      assertEquals(read, Handshake.readRole(bodyOf(again)));
    } catch (FrameException e) {
      assertFalse(e.getMessage().isBlank());
    }
  }

  @Example
  void tooManyMembersAreRefusedOnBothSides() throws FrameException {
    List<String> many = Collections.nCopies(Limits.MEMBERS_MAX + 1, "a:1");
    assertThrows(IllegalArgumentException.class, () -> new ServerRole(false, 1, "", "", many));
    ByteBuf out = Unpooled.buffer();
    Handshake.writeRoleFrame(out, new ServerRole(false, 1, "", "", List.of()));
    ByteBuf body = Unpooled.copiedBuffer(bodyOf(out));
    body.setByte(body.writerIndex() - 1, many.size());
    many.forEach(address -> body.writeByte(3).writeBytes(new byte[] {'a', ':', '1'}));
    FrameException e = assertThrows(FrameException.class, () -> Handshake.readRole(body));
    assertEquals(ErrorCode.TOO_LARGE, e.code());
  }

  @Example
  void malformedAddressesAreRefused() {
    List<String> malformed =
        List.of(
            ":1",
            "a",
            "a:",
            "a:0",
            "a:65536",
            "a:-1",
            "a:1:2",
            "::1:7",
            "a b:1",
            "\u00e4:1",
            "a:1\n",
            "[]:1",
            "h".repeat(250) + ":65535");
    for (String address : malformed) {
      assertFalse(ServerRole.isAddress(address), address);
      assertThrows(
          IllegalArgumentException.class, () -> new ServerRole(true, 1, "", "", List.of(address)));
      assertThrows(
          IllegalArgumentException.class,
          () -> new ServerRole(true, 1, "", address + "x", Arrays.asList()));
    }
    assertThrows(
        IllegalArgumentException.class, () -> new ServerRole(true, 1, "a b", "", List.of()));
  }
}
