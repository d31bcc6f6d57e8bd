package io.retso.hbase;

import static io.retso.hbase.Fixture.put;
import static io.retso.hbase.Fixture.read;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.retso.hbase.admin.TablePreparation;
import io.retso.hbase.admin.TablePreparation.Options;
import io.retso.hbase.errors.OracleUnavailableException;
import io.retso.hbase.errors.TransactionException.Category;
import io.retso.protocol.Authentication;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Handshake.Mode;
import io.retso.protocol.Handshake.Welcome;
import io.retso.protocol.Limits;
import io.retso.protocol.OracleIdentity;
import io.retso.protocol.ServerRole;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.apache.hadoop.hbase.TableName;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** An oracle that speaks another version of the protocol: found at once, and said so. */
@ExtendWith(RetsoCluster.Extension.class)
@Timeout(120)
class OtherVersionTest {
  /** What an oracle says to a client whose versions it does not speak, and one that picks wrong. */
  static final List<byte[]> ANSWERS = List.of(refusal(), choice());

  private Fixture fixture;
  private MutedOracle oracle;
  private TableName name;

  private static byte[] refusal() {
    ByteBuf out = Unpooled.buffer();
    try {
      Handshake.chooseVersion(Handshake.VERSION_MAX + 1, Handshake.VERSION_MAX + 2);
      throw new AssertionError("versions of the future are spoken");
    } catch (FrameException e) {
      Frames.writeError(out, 0, ErrorCode.UNSUPPORTED_VERSION, e.getMessage());
    }
    return ByteBufUtil.getBytes(out);
  }

  private static byte[] choice() {
    ByteBuf out = Unpooled.buffer();
    int version = Handshake.VERSION_MAX + 1;
    OracleIdentity identity = new OracleIdentity(new UUID(1, 2), "later");
    Handshake.writeWelcome(
        out,
        0,
        new Welcome(
            version,
            Mode.values()[0],
            Limits.FRAME_BYTES_MAX,
            1000,
            16,
            identity,
            ServerRole.alone(1),
            Authentication.Offer.NONE));
    return ByteBufUtil.getBytes(out);
  }

  @BeforeEach
  void open(Fixture fixture) throws Exception {
    this.fixture = fixture;
    oracle = fixture.mutedOracle();
    name = fixture.cluster.freshName("t");
  }

  /** With all the patience in the world: that a request waits for its deadline would be wrong. */
  private ManagerBuilder builder() {
    return fixture.builder().oracle(oracle.address()).requestTimeout(Duration.ofMinutes(30));
  }

  private void assertSays(OracleUnavailableException e) {
    assertEquals(Category.ORACLE_UNAVAILABLE, e.category());
    assertFalse(e.isRetryable());
    assertTrue(e.getMessage().contains(oracle.address()), e.getMessage());
    assertTrue(e.getMessage().contains("version"), e.getMessage());
  }

  @ParameterizedTest
  @FieldSource("ANSWERS")
  void isFoundWhenAManagerIsBuiltOrATablePrepared(byte[] answer) throws Exception {
    oracle.answer(answer);
    assertSays(assertThrows(OracleUnavailableException.class, () -> builder().build()));
    TablePreparation preparation = fixture.preparation(oracle.address());
    assertSays(
        assertThrows(
            OracleUnavailableException.class,
            () -> preparation.create(Fixture.descriptor(name).build(), Options.CLIENT_READS)));
  }

  /** The oracle is replaced by another version while managers run, and comes back. */
  @Test
  void isFoundByManagersThatRun() throws Exception {
    fixture
        .preparation(oracle.address())
        .create(Fixture.descriptor(name).build(), Options.CLIENT_READS);
    TransactionManager manager = fixture.opened(builder().build());
    Transaction open = manager.begin();
    open.table(name).put(put("r", "1"));
    oracle.answer(refusal());
    assertSays(assertThrows(OracleUnavailableException.class, manager::begin));
    assertSays(assertThrows(OracleUnavailableException.class, open::commit));
    oracle.answer(null);
    Fixture.eventually(
        "it is used again",
        () -> {
          try {
            return manager.run(tx -> read(tx.table(name), "r")) == null;
          } catch (OracleUnavailableException e) {
            return false; // between two attempts to connect
          }
        });
  }
}
