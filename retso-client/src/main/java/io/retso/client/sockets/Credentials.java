package io.retso.client.sockets;

import io.retso.client.ClientSecurity;
import io.retso.client.OracleClient;
import io.retso.client.connection.ClientLoop;
import io.retso.client.connection.Proof;
import io.retso.protocol.Authentication;
import io.retso.text.ErrorText;
import io.retso.tls.PrivateFile;
import io.retso.tls.TlsContext;
import io.retso.tls.TlsException;
import io.retso.tls.TlsFiles;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a client shows and trusts, read from its files on a thread of their own, which may hang, and
 * again when they were read {@value #REFRESH_SECONDS} s ago. Files that cannot be used any more
 * leave what was read before. Event loop only.
 */
final class Credentials {
  static final int REFRESH_SECONDS = 10;

  private static final Logger LOG = LoggerFactory.getLogger(OracleClient.class);
  private static final int TOKEN_BYTES_MAX = 4096;

  /** Steps of Kerberos that wait for the one before, at most. */
  private static final int TICKETS_WAITING_MAX = 64;

  /** What was read: has no text, as the token is a secret. */
  static final class Read {
    final TlsContext tls;

    /** Null if the client has none. */
    final byte[] token;

    private Read(TlsContext tls, byte[] token) {
      this.tls = tls;
      this.token = token;
    }
  }

  private final ClientSecurity security;
  private final TlsFiles files;
  private final ClientLoop loop;
  private final ThreadPoolExecutor thread;

  /** Asks for tickets of Kerberos and for tokens; what gives them may hang. */
  private final ThreadPoolExecutor tickets;

  private final List<BiConsumer<Read, IOException>> askers = new ArrayList<>();

  /** Null before the first success. */
  private Read last;

  private long readNanos;
  private String complaint = "";

  Credentials(ClientSecurity security, ClientLoop loop, String threadName) {
    this.security = security;
    this.loop = loop;
    this.files =
        new TlsFiles(
            security.authorities(),
            security
                .certificate()
                .map(certificate -> new TlsFiles.Own(certificate, security.key().orElseThrow())));
    this.thread = thread(threadName, new LinkedBlockingQueue<>()); // one task at a time
    this.tickets = thread(threadName + "-tickets", new ArrayBlockingQueue<>(TICKETS_WAITING_MAX));
  }

  private static ThreadPoolExecutor thread(String name, BlockingQueue<Runnable> queue) {
    ThreadPoolExecutor one =
        new ThreadPoolExecutor(
            1,
            1,
            1,
            TimeUnit.SECONDS,
            queue,
            task -> {
              Thread made = new Thread(task, name);
              made.setDaemon(true);
              return made;
            });
    one.allowCoreThreadTimeOut(true);
    return one;
  }

  /**
   * By what the client proves its identity; null if it has nothing for that.
   *
   * @param mechanisms which the server takes
   * @param serverName for which the server's certificate is
   */
  Proof proof(Read read, List<String> mechanisms, String serverName) {
    if (mechanisms.contains(Authentication.TOKEN)) {
      if (read.token != null) {
        return TokenProof.of(read.token);
      }
      if (security.tokenSource().isPresent()) {
        return new TokenProof(security.tokenSource().get(), tickets, loop::execute);
      }
    }
    if (security.kerberos().isPresent() && mechanisms.contains(Authentication.KERBEROS)) {
      return new KerberosProof(security.kerberos().get(), serverName, tickets, loop::execute);
    }
    return null;
  }

  ClientSecurity security() {
    return security;
  }

  /** Says what there is, at once if it was read lately; or why there is nothing. */
  void find(BiConsumer<Read, IOException> asker) {
    boolean isFresh =
        last != null && loop.nanoTime() - readNanos < TimeUnit.SECONDS.toNanos(REFRESH_SECONDS);
    if (isFresh) {
      asker.accept(last, null);
      return;
    }
    askers.add(asker);
    if (askers.size() == 1) {
      Read before = last;
      try {
        thread.execute(() -> readAgain(before));
      } catch (RejectedExecutionException e) {
        askers.clear(); // the client was closed
      }
    }
  }

  /** On the thread for files. */
  private void readAgain(Read before) {
    Read read = null;
    IOException failure = null;
    try {
      TlsContext tls =
          before == null || before.tls.isOlderThan(files) ? TlsContext.ofClient(files) : before.tls;
      read = new Read(tls, security.token().isEmpty() ? null : token(security.token().get()));
    } catch (IOException e) {
      failure = e;
    } catch (RuntimeException | Error e) {
      failure = new TlsException("TLS cannot be used: " + ErrorText.of(e), e);
    }
    Read found = read;
    IOException cause = failure;
    try {
      loop.execute(() -> answer(found, cause));
    } catch (RejectedExecutionException e) {
      // The client was closed.
    }
  }

  private static byte[] token(Path file) throws IOException {
    try {
      String text = new String(PrivateFile.read(file, TOKEN_BYTES_MAX), StandardCharsets.US_ASCII);
      return text.strip().getBytes(StandardCharsets.US_ASCII);
    } catch (TlsException e) {
      throw e;
    } catch (IOException e) {
      throw new TlsException("cannot read the token " + ErrorText.of(e), e);
    }
  }

  private void answer(Read found, IOException failure) {
    if (failure == null) {
      complaint = "";
      last = found;
    } else if (last != null && !complaint.equals(ErrorText.of(failure))) {
      complaint = ErrorText.of(failure);
      LOG.warn("what was read before goes on to be used: {}", complaint);
    }
    readNanos = loop.nanoTime();
    List<BiConsumer<Read, IOException>> all = List.copyOf(askers);
    askers.clear();
    all.forEach(asker -> asker.accept(last, last == null ? failure : null));
  }

  void close() {
    thread.shutdown();
    tickets.shutdownNow();
  }
}
