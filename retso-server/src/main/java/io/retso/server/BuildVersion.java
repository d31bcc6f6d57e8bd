package io.retso.server;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine.IVersionProvider;

/** Which ReTSO this is: its version, and the commit if it runs from a checkout. */
public final class BuildVersion implements IVersionProvider {
  private static final long GIT_SECONDS_MAX = 5;

  @Override
  public String[] getVersion() {
    return new String[] {
      "ReTSO " + text(), "Java " + System.getProperty("java.runtime.version"),
    };
  }

  /** Version and commit: {@code 0.1.0 (commit 1a2b3c4d5e6f)}. */
  public static String text() {
    return version() + commit().map(commit -> " (commit " + commit + ")").orElse("");
  }

  private static String version() {
    Properties properties = new Properties();
    try (InputStream in = BuildVersion.class.getResourceAsStream("version.properties")) {
      if (in != null) {
        properties.load(in);
      }
    } catch (IOException e) {
      return "of unknown version";
    }
    return properties.getProperty("version", "of unknown version");
  }

  /** Asks git about the checkout that holds the classes; empty if there is none. */
  private static Optional<String> commit() {
    try {
      Path classes =
          Path.of(BuildVersion.class.getProtectionDomain().getCodeSource().getLocation().toURI());
      Path checkout = classes.toAbsolutePath();
      while (checkout != null && !Files.exists(checkout.resolve(".git"))) {
        checkout = checkout.getParent();
      }
      return checkout == null ? Optional.empty() : describe(checkout);
    } catch (IOException | URISyntaxException e) {
      return Optional.empty();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }

  private static Optional<String> describe(Path checkout) throws IOException, InterruptedException {
    Process git =
        new ProcessBuilder(
                "git", "describe", "--always", "--dirty=, changed", "--abbrev=12", "--exclude=*")
            .directory(checkout.toFile())
            .redirectError(ProcessBuilder.Redirect.DISCARD)
            .start();
    git.getOutputStream().close();
    String text = new String(git.getInputStream().readAllBytes(), StandardCharsets.UTF_8).trim();
    if (!git.waitFor(GIT_SECONDS_MAX, TimeUnit.SECONDS)) {
      git.destroyForcibly();
      return Optional.empty();
    }
    return git.exitValue() == 0 && !text.isEmpty() ? Optional.of(text) : Optional.empty();
  }
}
