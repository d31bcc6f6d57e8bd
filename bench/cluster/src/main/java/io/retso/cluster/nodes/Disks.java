package io.retso.cluster.nodes;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Small disks of bookies, in memory: each is mounted for its node alone, and goes with the process
 * that holds the node's namespaces. So its data outlives the bookie, but not the cluster's stop.
 */
final class Disks {
  private static final String FILLER = "filler";
  private static final Duration COMMAND_MAX = Duration.ofSeconds(60);

  private final Path directory;
  private final Namespaces namespaces;
  private final Layout layout;

  Disks(Path directory, Namespaces namespaces, Layout layout) {
    this.directory = directory;
    this.namespaces = namespaces;
    this.layout = layout;
  }

  private Path root(Node node) {
    return new NodeFiles(directory, node, layout).data();
  }

  /** Mounts a disk for a bookie, where nothing runs yet. */
  void mount(Node node) throws IOException, InterruptedException {
    Files.createDirectories(root(node));
    String size = "size=" + layout.bookieDiskMebibytes() + "m";
    run(node, List.of("mount", "-t", "tmpfs", "-o", size, "retso", root(node).toString()));
  }

  /** Fills it to the last byte. */
  void fill(Node node) throws IOException, InterruptedException {
    // cat fails when the disk is full, which is what it is for.
    run(node, List.of("sh", "-c", "cat /dev/zero >'" + root(node).resolve(FILLER) + "' || true"));
  }

  /** Takes away what filled it. */
  void empty(Node node) throws IOException, InterruptedException {
    run(node, List.of("rm", "-f", root(node).resolve(FILLER).toString()));
  }

  private void run(Node node, List<String> command) throws IOException, InterruptedException {
    List<String> words = new ArrayList<>(namespaces.enter(node.name()));
    words.addAll(command);
    Command.require(words, "", COMMAND_MAX);
  }
}
