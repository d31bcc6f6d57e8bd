package io.retso.front;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.netty.buffer.ByteBuf;
import io.retso.front.Conversation.Progress;
import io.retso.front.DeskFixture.Peer;
import io.retso.protocol.FrameException;
import io.retso.protocol.FrameType;
import io.retso.protocol.Frames;
import io.retso.protocol.Handshake;
import io.retso.protocol.Outcome;
import io.retso.protocol.ServerRole;
import io.retso.protocol.Timestamps;
import io.retso.sequencer.Sequencer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A server that leads, ceases to, and leads again, while its clients go on. */
@Timeout(60)
class RolesTest {
  private static final ServerRole STANDBY =
      new ServerRole(false, 8, "b", "b:1", List.of("a:1", "b:1"));

  private final DeskFixture fixture = new DeskFixture();

  @AfterEach
  void close() {
    fixture.close();
  }

  private Peer peer() throws FrameException {
    return fixture.new Peer("host").hello();
  }

  /** What came, as text; it is taken away. */
  private static List<String> news(Peer peer) throws FrameException {
    List<String> news = new ArrayList<>();
    for (ByteBuf frame : peer.replies) {
      int id = Frames.frameId(frame, 0);
      if (Frames.isError(frame, 0)) {
        assertTrue(Frames.errorText(frame, 0).contains("b at b:1, epoch 8"));
        news.add(Frames.errorCode(frame, 0) + " " + id);
      } else if (Frames.isRole(frame, 0)) {
        ServerRole role =
            Handshake.readRole(
                frame.slice(Frames.HEADER_BYTES, frame.writerIndex() - Frames.HEADER_BYTES));
        news.add((role.leads() ? "leader of " : "standby of ") + role.epoch());
      } else {
        news.add(Frames.replyType(frame, 0) + " " + id);
      }
    }
    peer.replies.clear();
    return news;
  }

  private void follow() {
    fixture.desk.follow(STANDBY);
    fixture.endTurn();
  }

  @Test
  void aStandbyGreetsAndRefusesByName() throws FrameException {
    Peer peer = peer();
    follow();
    assertEquals(List.of("standby of 8"), news(peer));
    int begin = peer.begin(3);
    int ping = peer.ping();
    int commit = peer.commit(false, 5, 16);
    fixture.endTurn();
    assertEquals(
        List.of("NOT_LEADER " + begin, "PING " + ping, "NOT_LEADER " + commit), news(peer));
    Peer other = fixture.new Peer("other").hello();
    int watermark = other.send(FrameType.WATERMARK, 1);
    fixture.endTurn();
    assertEquals(List.of("NOT_LEADER " + watermark), news(other));
  }

  /** What the log may have is for the successor to tell; what was not taken was not decided. */
  @Test
  void repliesThatAreHeldAreDroppedAndFramesThatWaitAreRefused() throws FrameException {
    Peer peer = peer();
    List<Integer> taken = new ArrayList<>();
    peer.begin(40);
    fixture.acknowledge(); // of the reservation that it waits for
    fixture.endTurn();
    fixture.acknowledge();
    long start = peer.answer();
    int waiting = 0;
    for (int i = 0; peer.progress != Progress.WAITING; i++) {
      assertTrue(i < 40, "the log is never full");
      waiting = peer.commit(false, i, start + (long) i * Timestamps.GAP);
      taken.add(waiting);
      fixture.endTurn();
    }
    taken.remove((Integer) waiting);
    assertEquals(List.of(), news(peer), "nothing is durable");
    Sequencer deposed = fixture.sequencer;
    follow();
    List<String> expected = new ArrayList<>(List.of("standby of 8"));
    taken.forEach(id -> expected.add("DEPOSED " + id));
    expected.add("NOT_LEADER " + waiting);
    assertEquals(expected, news(peer));
    deposed.durable(fixture.appended);
    deposed.failed(null);
    fixture.endTurn();
    assertEquals(List.of(), news(peer), "the old log has no say any more");
    assertNull(fixture.logFailure);
  }

  @Test
  void beginsThatWereHeldOrPutOffKeepTheOrderOfTheirLane() throws FrameException {
    Peer peer = peer();
    Peer other = fixture.new Peer("other").hello();
    other.begin(1);
    int held = peer.begin(DeskFixture.RESERVATION); // it waits for a reservation
    List<String> expected = new ArrayList<>(List.of("standby of 8", "DEPOSED " + held));
    fixture.endTurn();
    for (int i = 0; i < 30; i++) { // until it must leave the window to the other
      int id = peer.begin(DeskFixture.RESERVATION / 2);
      fixture.nextTurn();
      expected.add("BEGIN " + id);
    }
    follow();
    List<String> news = news(peer);
    assertEquals("standby of 8", news.get(0));
    news.remove(0);
    int last = 0;
    boolean refusing = false;
    for (String line : news) {
      int id = Integer.parseInt(line.substring(line.indexOf(' ') + 1));
      assertTrue(id > last, () -> "in order: " + news);
      last = id;
      assertTrue(line.startsWith("DEPOSED") || line.startsWith("NOT_LEADER"), line);
      assertTrue(!refusing || line.startsWith("NOT_LEADER"), line);
      refusing = line.startsWith("NOT_LEADER");
    }
    assertTrue(refusing, "some were put off");
  }

  @Test
  void itLeadsAgainWithAnotherOracle() throws FrameException {
    Peer peer = peer();
    long open = peer.start();
    peer.commit(false, 5, open);
    fixture.endTurn();
    Sequencer deposed = fixture.sequencer;
    follow();
    news(peer);
    fixture.lead(9);
    fixture.endTurn();
    assertEquals(List.of("leader of 9"), news(peer));
    long start = peer.start();
    int commit = peer.commit(false, 5, start);
    fixture.endTurn();
    deposed.durable(fixture.appended);
    assertEquals(List.of(), news(peer), "only its own log lets it go");
    fixture.acknowledge();
    assertEquals(commit, Frames.frameId(peer.replies.get(0), 0));
    assertTrue(Outcome.isCommitted(peer.answer()));
  }

  /** A hand-over: everything is answered, then another one leads. */
  @Test
  void aLeaderThatHasDrainedBecomesAStandby() throws FrameException {
    Peer peer = peer();
    int commit = peer.commit(false, 5, peer.start());
    CompletableFuture<Void> drained = fixture.desk.drain();
    int late = peer.begin(1);
    fixture.endTurn();
    assertEquals(Progress.WAITING, peer.progress);
    fixture.acknowledge();
    assertTrue(drained.isDone());
    assertEquals(List.of("COMMIT " + commit), news(peer));
    follow();
    assertEquals(List.of("standby of 8", "NOT_LEADER " + late), news(peer));
    fixture.lead(9);
    fixture.endTurn();
    news(peer);
    assertTrue(peer.start() > 0, "it takes requests again");
  }

  @Test
  void aLeaderThatIsDeposedWhileItDrainsHasDrained() throws FrameException {
    Peer peer = peer();
    int commit = peer.commit(false, 5, peer.start());
    fixture.endTurn();
    CompletableFuture<Void> drained = fixture.desk.drain();
    assertFalse(drained.isDone());
    follow();
    assertTrue(drained.isDone());
    assertEquals(List.of("standby of 8", "DEPOSED " + commit), news(peer));
  }

  /** What a host took of the oracle before does not count. */
  @Test
  void accountsBeginAnew() throws FrameException {
    Peer peer = peer();
    Peer other = fixture.new Peer("other").hello();
    other.begin(1);
    int share = DeskFixture.WINDOW / 2 + DeskFixture.WINDOW / 8;
    for (int taken = 0; taken < share; taken += DeskFixture.RESERVATION / 2) {
      peer.begin(DeskFixture.RESERVATION / 2);
      fixture.nextTurn();
      fixture.acknowledge();
    }
    follow();
    fixture.lead(9);
    fixture.endTurn();
    news(peer);
    news(other);
    other.begin(1);
    fixture.nextTurn();
    int begin = peer.begin(DeskFixture.RESERVATION / 4);
    fixture.nextTurn();
    fixture.acknowledge();
    assertEquals(List.of("BEGIN " + begin), news(peer));
  }

  @Test
  void newsOfTheMembersReachAllClients() throws FrameException {
    Peer peer = peer();
    ServerRole known = new ServerRole(true, 7, "a", "a:1", List.of("a:1", "c:1"));
    fixture.desk.update(known);
    fixture.endTurn();
    assertEquals(List.of("leader of 7"), news(peer));
    assertThrows(IllegalStateException.class, () -> fixture.desk.update(STANDBY));
    follow();
    assertThrows(IllegalStateException.class, () -> fixture.desk.update(known));
    fixture.desk.update(STANDBY);
    fixture.endTurn();
    assertEquals(List.of("standby of 8", "standby of 8"), news(peer));
  }
}
