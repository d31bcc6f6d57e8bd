package io.retso.server.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.security.SharedKey;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.bookkeeper.auth.AuthToken;
import org.apache.bookkeeper.auth.BookieAuthProvider;
import org.apache.bookkeeper.auth.ClientAuthProvider;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.conf.ClientConfiguration;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.proto.BookieConnectionPeer;
import org.junit.jupiter.api.Test;

/** What a server and an embedded bookie say to each other before anything else. */
public class BookieKeyTest {
  private static final byte[] KEY = new byte[16];
  private static final byte[] OTHER = Arrays.copyOf(new byte[] {1}, 16);

  /** The two sides of a connection, and what each of them came to. */
  private static final class Sides {
    private final List<byte[]> ofServer = new ArrayList<>();
    private final List<byte[]> ofBookie = new ArrayList<>();
    private final ClientAuthProvider server;
    private final BookieAuthProvider bookie;
    private Integer serverTrusts;
    private Integer bookieTrusts;
    private boolean closed;

    Sides(byte[] keyOfServer, byte[] keyOfBookie) {
      ClientConfiguration client = new ClientConfiguration();
      new BookieKey(keyOfServer).ofServer().configure(client);
      BookieKey.OfServer servers = new BookieKey.OfServer();
      servers.init(client);
      server = servers.newProvider(null, (code, nothing) -> serverTrusts = code);
      ServerConfiguration configuration = new ServerConfiguration();
      new BookieKey(keyOfBookie).ofBookie(configuration);
      BookieKey.OfBookie bookies = new BookieKey.OfBookie();
      bookies.init(configuration);
      Object connection =
          Proxy.newProxyInstance(
              getClass().getClassLoader(),
              new Class<?>[] {BookieConnectionPeer.class},
              (proxy, method, arguments) -> {
                closed |= method.getName().equals("disconnect");
                return null;
              });
      bookie =
          bookies.newProvider(
              (BookieConnectionPeer) connection, (code, nothing) -> bookieTrusts = code);
    }

    void serverBegins() {
      server.init((code, token) -> ofServer.add(token.getData()));
    }

    void toBookie(byte[] said) {
      bookie.process(AuthToken.wrap(said), (code, token) -> ofBookie.add(token.getData()));
    }

    void toServer(byte[] said) {
      server.process(AuthToken.wrap(said), (code, token) -> ofServer.add(token.getData()));
    }
  }

  /** Made anew by each loader of classes. */
  public static final class Attempts implements Runnable {
    @Override
    public void run() {
      BookieKeyTest test = new BookieKeyTest();
      test.bothKnowTheKey();
      test.aServerWithAnotherKeyIsRefused();
      test.aBookieWithAnotherKeyIsRefused();
      test.whatWasSaidBeforeIsNoProof();
      test.theOthersProofIsNoProof();
    }
  }

  @Test
  void bothKnowTheKey() {
    Sides sides = new Sides(KEY, KEY);
    sides.serverBegins();
    sides.toBookie(sides.ofServer.get(0));
    assertNull(sides.bookieTrusts, "nothing is proved yet");
    sides.toServer(sides.ofBookie.get(0));
    assertEquals(BKException.Code.OK, sides.serverTrusts);
    sides.toBookie(sides.ofServer.get(1));
    assertEquals(BKException.Code.OK, sides.bookieTrusts);
  }

  @Test
  void aServerWithAnotherKeyIsRefused() {
    Sides sides = new Sides(OTHER, KEY);
    sides.serverBegins();
    sides.toBookie(sides.ofServer.get(0));
    byte[] numbers = sides.ofBookie.get(0);
    byte[] number = Arrays.copyOf(numbers, SharedKey.NUMBER_BYTES);
    sides.toBookie(new SharedKey(OTHER).proof("server", sides.ofServer.get(0), number));
    assertNull(sides.bookieTrusts);
    assertTrue(sides.closed);
  }

  @Test
  void aBookieWithAnotherKeyIsRefused() {
    for (byte[] said : List.of(new byte[0], new byte[SharedKey.NUMBER_BYTES])) {
      Sides forger = new Sides(KEY, OTHER);
      forger.serverBegins();
      forger.toServer(said);
      assertEquals(BKException.Code.UnauthorizedAccessException, forger.serverTrusts);
    }
    Sides sides = new Sides(KEY, OTHER);
    sides.serverBegins();
    sides.toBookie(sides.ofServer.get(0));
    sides.toServer(sides.ofBookie.get(0));
    assertEquals(BKException.Code.UnauthorizedAccessException, sides.serverTrusts);
    assertEquals(1, sides.ofServer.size(), "it proves nothing to that one");
  }

  @Test
  void whatWasSaidBeforeIsNoProof() {
    Sides before = new Sides(KEY, KEY);
    before.serverBegins();
    before.toBookie(before.ofServer.get(0));
    before.toServer(before.ofBookie.get(0));
    Sides now = new Sides(KEY, KEY);
    now.toBookie(before.ofServer.get(0));
    now.toBookie(before.ofServer.get(1));
    assertNull(now.bookieTrusts);
    now.serverBegins();
    now.toServer(before.ofBookie.get(0));
    assertEquals(BKException.Code.UnauthorizedAccessException, now.serverTrusts);
  }

  @Test
  void theOthersProofIsNoProof() {
    Sides sides = new Sides(KEY, KEY);
    sides.serverBegins();
    sides.toBookie(sides.ofServer.get(0));
    byte[] answer = sides.ofBookie.get(0);
    sides.toBookie(Arrays.copyOfRange(answer, SharedKey.NUMBER_BYTES, answer.length));
    assertNull(sides.bookieTrusts);
  }
}
