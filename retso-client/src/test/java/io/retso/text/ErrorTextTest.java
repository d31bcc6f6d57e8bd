package io.retso.text;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/** Exceptions as the language throws them. */
class ErrorTextTest {
  @TempDir private Path directory;

  private static String said(Executable failing) {
    return ErrorText.of(assertThrows(Exception.class, failing));
  }

  @Test
  void whatIsWrongWithAFileIsSaid() throws Exception {
    Path file = Files.write(directory.resolve("file"), new byte[] {(byte) 0xff, '\n'});
    Path missing = directory.resolve("missing");
    assertEquals(missing + " does not exist", said(() -> Files.readAllLines(missing)));
    assertEquals(
        file + " exists, and is not what is needed there",
        said(() -> Files.createDirectories(file)));
    assertEquals(
        directory + " is a directory that is not empty", said(() -> Files.delete(directory)));
    assertTrue(
        said(() -> Files.createDirectories(file.resolve("sub"))).contains("Not a directory"));
    assertEquals(
        "it has bytes that are no text in UTF-8",
        said(() -> Files.readAllLines(file, StandardCharsets.UTF_8)));
  }

  @Test
  void whatIsWrongWithAnAddressIsSaid() throws Exception {
    assertEquals(
        "the host a.invalid is not known", ErrorText.of(new UnknownHostException("a.invalid")));
    assertEquals(
        "a.invalid: Name or service not known",
        ErrorText.of(new UnknownHostException("a.invalid: Name or service not known")));
    try (SocketChannel channel = SocketChannel.open()) {
      assertEquals(
          "the host is not known",
          said(() -> channel.connect(InetSocketAddress.createUnresolved("a.invalid", 1))));
    }
    try (SocketChannel channel = SocketChannel.open(java.net.StandardProtocolFamily.INET)) {
      InetAddress six = InetAddress.getByName("::1");
      assertTrue(
          said(() -> channel.connect(new InetSocketAddress(six, 1))).contains("preferIPv4Stack"));
    }
  }

  @Test
  void noExceptionIsSilent() {
    assertEquals("IllegalStateException", ErrorText.of(new IllegalStateException()));
    assertEquals("it ended early", ErrorText.of(new EOFException()));
    assertEquals("NullPointerException", ErrorText.of(new NullPointerException("")));
    assertEquals(
        "IOException: it ended early", ErrorText.of(new IOException(null, new EOFException())));
    assertEquals("disk", ErrorText.of(new UncheckedIOException("disk", new IOException())));
    assertEquals(
        "no answer came in time",
        said(() -> new CompletableFuture<Void>().get(1, TimeUnit.NANOSECONDS)));
  }
}
