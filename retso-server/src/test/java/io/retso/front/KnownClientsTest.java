package io.retso.front;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.retso.client.Receipts;
import io.retso.front.DeskFixture.Peer;
import io.retso.protocol.ErrorCode;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Outcome;
import io.retso.protocol.Vouching;
import io.retso.security.AccessControl;
import io.retso.security.AccessException;
import io.retso.security.AccessFile;
import io.retso.security.AccessTokens;
import io.retso.security.AccessTokens.Token;
import io.retso.security.Audit;
import io.retso.security.ClusterSecret;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Clients that say who they are: what they may ask for, and what is theirs. */
class KnownClientsTest {
  private static final String REQUIRED = "tls required\nauth required\n";
  private static final String ROLES =
      "may application app etl\nmay region-server regions\nmay member member\n";
  private static final long HOUR = 3_600_000;

  private ClusterSecret secret = ClusterSecret.random();
  private long millis = 1_800_000_000_000L;
  private final AccessControl access = new AccessControl(false, () -> millis, Audit.NONE);
  private DeskFixture fixture;

  @BeforeEach
  void start() throws AccessException {
    access.use(secret, "log");
    policy(REQUIRED + ROLES);
    fixture = new DeskFixture(access);
  }

  @AfterEach
  void stop() {
    fixture.close();
  }

  private void policy(String text) throws AccessException {
    access.use(AccessFile.parse("access", text));
  }

  private String token(String principal) {
    return new AccessTokens(secret).make(Token.of(principal, millis, HOUR));
  }

  /** One that has said who it is; its host is of no interest then. */
  private Peer known(String principal, String host) throws FrameException {
    Peer peer = fixture.new Peer(host).encrypted().hello();
    peer.authenticate(token(principal));
    assertEquals(FrameType.AUTH, Frames.replyType(peer.replies.remove(0), 0));
    return peer;
  }

  private void settle() {
    fixture.endTurn();
    fixture.acknowledge();
    fixture.nextTurn();
  }

  /** Start and ticket of a transaction that it begins. */
  private long[] begin(Peer peer) throws FrameException {
    peer.begin(1);
    settle();
    ByteBuf reply = peer.replies.remove(0);
    assertEquals(FrameType.BEGIN, Frames.replyType(reply, 0), () -> Frames.errorText(reply, 0));
    int body = Frames.HEADER_BYTES;
    return new long[] {reply.getLong(body), reply.getLong(body + Long.BYTES)};
  }

  private long abort(Peer peer, long[] transaction) throws FrameException {
    peer.send(FrameType.ABORT, 1, transaction);
    settle();
    return peer.replies.remove(0).getLong(Frames.HEADER_BYTES);
  }

  private static void assertEnded(FrameException e) {
    assertEquals(ErrorCode.NOT_AUTHENTICATED, e.code(), e.getMessage());
  }

  private void assertMayNot(Peer peer, FrameType type) throws FrameException {
    boolean hasWords = type == FrameType.STATUS || type == FrameType.SWEPT;
    peer.send(type, 1, hasWords ? new long[] {16, 16} : new long[0]);
    settle();
    ByteBuf reply = peer.replies.remove(0);
    assertTrue(Frames.isError(reply, 0), type + " is answered");
    assertEquals(ErrorCode.NOT_PERMITTED, Frames.errorCode(reply, 0));
  }

  @Test
  void nothingIsAskedBeforeItIsKnownWhoAsks() throws FrameException {
    Peer peer = fixture.new Peer("h").encrypted().hello();
    peer.ping();
    assertEnded(assertThrows(FrameException.class, () -> peer.begin(1)));
    Peer clear = fixture.new Peer("h");
    assertEnded(assertThrows(FrameException.class, clear::hello));
  }

  /** The answer to a region server that vouches for a user. */
  private ByteBuf vouch(Peer regions, String user) throws FrameException {
    regions.vouch(user);
    settle();
    return regions.replies.remove(0);
  }

  private static String tokenIn(ByteBuf reply) throws FrameException {
    assertEquals(FrameType.VOUCH, Frames.replyType(reply, 0), () -> Frames.errorText(reply, 0));
    ByteBuf body = reply.slice(Frames.HEADER_BYTES, reply.readableBytes() - Frames.HEADER_BYTES);
    assertEquals(HOUR, Vouching.readLastsMillis(body));
    return new String(Vouching.readToken(body), StandardCharsets.US_ASCII);
  }

  @Test
  void regionServersVouchForUsersOfHBase() throws Exception {
    policy(
        REQUIRED
            + ROLES
            + "may sweeper etl\nmay operator etl\nvouch etl batch-*\nname KRB (.*)@CORP = $1\n");
    Peer regions = known("regions", "h");
    Peer etl = fixture.new Peer("h").encrypted().hello();
    etl.authenticate(tokenIn(vouch(regions, "etl@CORP")));
    etl.replies.clear();
    assertEquals("etl", etl.conversation.identity().principal());
    assertEquals("application", etl.conversation.identity().roles(), "and nothing else");
    long[] transaction = begin(etl);
    assertMayNot(etl, FrameType.SWEPT);
    // Its own token, by which it is more, is of the same owner.
    assertEquals(Outcome.ABORTED, abort(known("etl", "h"), transaction));
    assertEquals(
        "batch-7", AccessTokens.parse(tokenIn(vouch(regions, "batch-7@CORP"))).principal());
    millis += HOUR + AccessTokens.SLACK_MILLIS + 1;
    assertEnded(assertThrows(FrameException.class, etl.conversation::look));
  }

  @Test
  void vouchingHasLimits() throws Exception {
    policy(REQUIRED + ROLES + "vouch etl\nname KRB (.*)@CORP = $1\n");
    Peer regions = known("regions", "h");
    ByteBuf other = vouch(regions, "member@CORP");
    assertEquals(ErrorCode.NOT_PERMITTED, Frames.errorCode(other, 0));
    assertTrue(Frames.errorText(other, 0).contains("line \"vouch member\""));
    ByteBuf foreign = vouch(regions, "etl@ELSEWHERE");
    assertTrue(Frames.errorText(foreign, 0).contains("has no line \"name KRB"));
    ByteBuf application = vouch(known("app", "h"), "etl@CORP");
    assertEquals(ErrorCode.NOT_PERMITTED, Frames.errorCode(application, 0));
  }

  @Test
  void aTokenInClearProvesNothing() throws Exception {
    policy("tls optional\nauth optional\n" + ROLES);
    Peer clear = fixture.new Peer("h").hello();
    FrameException e = assertThrows(FrameException.class, () -> clear.authenticate(token("app")));
    assertEnded(e);
    assertTrue(e.getMessage().contains("revoke it"), e.getMessage());
  }

  @Test
  void aForgedTokenProvesNothing() throws FrameException {
    String forged = new AccessTokens(ClusterSecret.random()).make(Token.of("app", millis, HOUR));
    Peer peer = fixture.new Peer("h").encrypted().hello();
    assertEnded(assertThrows(FrameException.class, () -> peer.authenticate(forged)));
  }

  @Test
  void eachHasItsRoles() throws FrameException {
    Peer app = known("app", "h");
    begin(app);
    assertMayNot(known("regions", "h"), FrameType.BEGIN);
    assertMayNot(known("somebody", "h"), FrameType.STATUS);
    Peer regions = known("regions", "h");
    regions.send(FrameType.WATERMARK, 1);
    settle();
    assertFalse(Frames.isError(regions.replies.remove(0), 0));
  }

  /** What checks receipts, by the answer to KEYS. */
  private Receipts receipts() throws FrameException {
    Peer regions = known("regions", "h");
    regions.send(FrameType.KEYS, 1);
    settle();
    ByteBuf reply = regions.replies.remove(0);
    assertEquals(FrameType.KEYS, Frames.replyType(reply, 0));
    long[] numbers = new long[FrameType.KEYS_NUMBERS];
    Arrays.setAll(numbers, i -> reply.getLong(Frames.HEADER_BYTES + i * Long.BYTES));
    return Receipts.of(numbers);
  }

  /** Outcome and receipt of the only request of the next reply. */
  private static long[] decided(Peer peer) {
    ByteBuf reply = peer.replies.remove(0);
    assertEquals(1, Frames.count(reply, 0));
    return new long[] {
      reply.getLong(Frames.HEADER_BYTES), reply.getLong(Frames.HEADER_BYTES + Long.BYTES)
    };
  }

  /** Requests that decide transactions, or tell how they were decided. */
  @Test
  void decidedOutcomesComeWithReceipts() throws FrameException {
    Peer app = known("app", "h");
    Receipts receipts = receipts();
    long[] tx = begin(app);
    app.commitWith(tx[0], tx[1]);
    settle();
    long[] committed = decided(app);
    assertTrue(receipts.prove(tx[0], committed[0], committed[1]));
    assertFalse(receipts.prove(tx[0], Outcome.ABORTED, committed[1]), "of the other outcome");
    assertFalse(receipts.prove(tx[0] + 16, committed[0], committed[1]), "of another transaction");
    app.send(FrameType.ABORT, 1, tx);
    settle();
    assertArrayEquals(committed, decided(app), "it is too late to abort it");
    long[] given = begin(app);
    app.send(FrameType.ABORT, 1, given);
    settle();
    long[] aborted = decided(app);
    assertEquals(Outcome.ABORTED, aborted[0]);
    assertTrue(receipts.prove(given[0], Outcome.ABORTED, aborted[1]));
    app.commitReadsWith(given[0], given[1]);
    settle();
    assertEquals(aborted[1], decided(app)[1], "aborted before");
  }

  /** It is told no outcome, or none was decided. */
  @Test
  void whatIsNotDecidedHasNoReceipt() throws FrameException {
    Peer app = known("app", "h");
    long[] tx = begin(app);
    app.commitWith(tx[0], tx[1]);
    settle();
    decided(app);
    app.commitWith(tx[0], tx[1]); // no repetition
    settle();
    assertArrayEquals(new long[] {Outcome.ALREADY_COMMITTED, 0}, decided(app));
    Peer stranger = known("etl", "h");
    stranger.send(FrameType.ABORT, 1, tx);
    settle();
    assertArrayEquals(new long[] {Outcome.NOT_OWNER, 0}, decided(stranger));
  }

  @Test
  void keysOfReceiptsAreForRegionServersAlone() throws Exception {
    assertMayNot(known("app", "h"), FrameType.KEYS);
    assertMayNot(known("member", "h"), FrameType.KEYS);
    policy("tls optional\nauth optional\n" + ROLES);
    assertMayNot(fixture.new Peer("h").hello(), FrameType.KEYS);
  }

  /** As long as a client need not say who it is, any could be a region server. */
  @Test
  void withoutAuthenticationNeitherReceiptsNorKeysAreGiven() throws Exception {
    policy("tls optional\nauth off\n" + ROLES);
    Peer anybody = fixture.new Peer("h").hello();
    long[] tx = begin(anybody);
    anybody.send(FrameType.ABORT, 1, tx);
    settle();
    assertArrayEquals(new long[] {Outcome.ABORTED, 0}, decided(anybody));
    assertMayNot(anybody, FrameType.KEYS);
    assertFalse(receipts().prove(tx[0], Outcome.ABORTED, 0), "no key is a key of zeros");
  }

  private void use(Path file) throws Exception {
    secret = ClusterSecret.read(file);
    access.use(secret, "log");
  }

  /** The second line of the secret is checked, too. */
  @Test
  void receiptsOutliveAChangeOfTheSecret(@TempDir Path directory) throws Exception {
    Peer app = known("app", "h");
    long[] tx = begin(app);
    app.send(FrameType.ABORT, 1, tx);
    settle();
    long before = decided(app)[1];
    Path file = directory.resolve("secret");
    ClusterSecret.make(file);
    String first = Files.readString(file);
    Files.delete(file);
    ClusterSecret.make(file);
    String second = Files.readString(file);
    Files.writeString(file, first);
    use(file);
    assertFalse(receipts().prove(tx[0], Outcome.ABORTED, before), "by an unknown secret");
    tx = begin(app);
    app.send(FrameType.ABORT, 1, tx);
    settle();
    long byFirst = decided(app)[1];
    Files.writeString(file, second + first);
    use(file);
    assertTrue(receipts().prove(tx[0], Outcome.ABORTED, byFirst));
    app.send(FrameType.ABORT, 1, tx);
    settle();
    long bySecond = decided(app)[1];
    assertTrue(bySecond != byFirst);
    assertTrue(receipts().prove(tx[0], Outcome.ABORTED, bySecond));
  }

  @Test
  void whatIsRevokedOrOverEndsOpenConnections() throws Exception {
    Peer revoked = known("app", "h");
    policy(REQUIRED + ROLES + "revoked principal app\n");
    assertEnded(assertThrows(FrameException.class, revoked.conversation::look));
    policy(REQUIRED + ROLES);
    Peer expired = known("app", "h");
    millis += HOUR + AccessTokens.SLACK_MILLIS;
    expired.conversation.look();
    millis++;
    assertEnded(assertThrows(FrameException.class, expired.conversation::look));
    Peer renewed = known("app", "h");
    millis += HOUR;
    renewed.authenticate(token("app"));
    millis += AccessTokens.SLACK_MILLIS + 1;
    renewed.conversation.look();
    policy(REQUIRED);
    renewed.conversation.look();
    renewed.replies.clear();
    assertMayNot(renewed, FrameType.BEGIN);
  }

  @Test
  void aConnectionIsOfOneForEver() throws FrameException {
    Peer peer = known("app", "h");
    FrameException e = assertThrows(FrameException.class, () -> peer.authenticate(token("etl")));
    assertEnded(e);
  }

  /** With the very ticket: it may have been seen on its way, or in a file. */
  @Test
  void aTransactionIsItsPrincipals() throws FrameException {
    Peer app = known("app", "h");
    Peer etl = known("etl", "h");
    long[] transaction = begin(app);
    assertEquals(Outcome.NOT_OWNER, abort(etl, transaction));
    assertEquals(Outcome.ABORTED, abort(known("app", "elsewhere"), transaction));
  }

  /** The switch to names goes on under transactions. */
  @Test
  void aTransactionThatWasBegunInClearIsItsBearers() throws Exception {
    policy("tls optional\nauth optional\n" + ROLES);
    Peer clear = fixture.new Peer("h").hello();
    long[] transaction = begin(clear);
    long[] owned = begin(known("app", "h"));
    assertEquals(Outcome.NOT_OWNER, abort(clear, owned));
    assertEquals(Outcome.ABORTED, abort(known("app", "h"), transaction));
  }

  /** One principal from two hosts is one; two from one host are two. */
  @Test
  void sharesGoByPrincipal() throws FrameException {
    Peer one = known("app", "a");
    assertEquals(1, fixture.desk.turns().hosts());
    Peer two = known("app", "b");
    assertEquals(1, fixture.desk.turns().hosts());
    assertEquals(2, two.conversation.ofSameClient());
    Peer other = known("etl", "a");
    assertEquals(2, fixture.desk.turns().hosts());
    assertEquals(1, other.conversation.ofSameClient());
    one.close();
    two.close();
    assertEquals(1, fixture.desk.turns().hosts());
  }

  @Test
  void onlyMembersAreHeardAsStandbys() throws FrameException {
    known("app", "h"); // all clients of this test are called "test"
    assertFalse(fixture.desk.hears("test"));
    assertEquals(Optional.of(Set.of()), fixture.desk.provedStandbys());
    known("member", "h");
    assertTrue(fixture.desk.hears("test"));
    assertEquals(Optional.of(Set.of("test")), fixture.desk.provedStandbys());
  }
}
