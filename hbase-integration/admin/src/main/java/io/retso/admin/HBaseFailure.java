package io.retso.admin;

import io.retso.text.Text;
import java.io.IOException;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.hadoop.hbase.DoNotRetryIOException;

/** What HBase says when it does not do what it was asked for, with a remedy. Stateless. */
final class HBaseFailure {
  private static final Pattern NO_NAMESPACE = Pattern.compile("NamespaceNotFoundException: (\\S+)");

  private HBaseFailure() {}

  /** In one line. */
  static String explained(IOException failure, String zooKeeper) {
    String reason = RootCause.of(failure);
    Optional<String> namespace =
        Stream.of(reason, failure.toString())
            .flatMap(text -> NO_NAMESPACE.matcher(text).results())
            .map((MatchResult match) -> match.group(1))
            .findFirst();
    if (namespace.isPresent()) {
      return Text.of(
          "there is no namespace %s: make it in HBase's shell, create_namespace '%s', then"
              + " repeat this",
          namespace.get(), namespace.get());
    }
    return Text.of(
        "HBase, by way of ZooKeeper at %s, does not do it: %s%s",
        zooKeeper, reason, isRefusal(failure) ? "" : "; check --zookeeper, and whether HBase runs");
  }

  /** Whether HBase was reached and said no, rather than not reached. */
  private static boolean isRefusal(Throwable failure) {
    return Stream.iterate(failure, cause -> cause != null, Throwable::getCause)
        .anyMatch(cause -> cause instanceof DoNotRetryIOException);
  }
}
