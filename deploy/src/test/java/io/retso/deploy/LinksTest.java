package io.retso.deploy;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** Links between the pages of the sources, to headings and to files, lead to what is there. */
class LinksTest {
  private static final Path SOURCES = Path.of("..");

  /** Not the sources', or templates of pages. */
  private static final Set<String> NO_PAGES =
      Set.of(
          ".git",
          "target",
          "resources",
          "retso-data",
          "retso-bench-data",
          "retso-cluster",
          "retso-sandbox");

  private static final Pattern FENCED = Pattern.compile("(?ms)^```.*?^```$");
  private static final Pattern CODE = Pattern.compile("`[^`\n]*`");
  private static final Pattern LINK = Pattern.compile("\\]\\(([^)\\s]+)\\)");
  private static final Pattern HEADING = Pattern.compile("(?m)^#+ +(.+)$");
  private static final Pattern FOREIGN = Pattern.compile("^(https?|mailto):");

  private static final Map<Path, String> PAGES = new HashMap<>();

  @BeforeAll
  static void read() throws IOException {
    Files.walkFileTree(
        SOURCES,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            return NO_PAGES.contains(directory.getFileName().toString())
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
              throws IOException {
            if (file.toString().endsWith(".md")) {
              PAGES.put(file.normalize(), FENCED.matcher(Files.readString(file)).replaceAll(""));
            }
            return FileVisitResult.CONTINUE;
          }
        });
  }

  private static String withoutCode(String page) {
    return CODE.matcher(page).replaceAll("");
  }

  /** As GitHub and others name headings: the second of a name has a number. */
  private static Set<String> anchors(String page) {
    Set<String> anchors = new HashSet<>();
    for (MatchResult heading : HEADING.matcher(page).results().toList()) {
      String text = heading.group(1).replaceAll("\\[([^]]*)]\\([^)]*\\)", "$1");
      String anchor =
          text.strip()
              .toLowerCase(Locale.ROOT)
              .replaceAll("[^\\p{L}\\p{N}_ -]", "")
              .replace(' ', '-');
      String free = anchor;
      for (int i = 1; !anchors.add(free); i++) {
        free = anchor + "-" + i;
      }
    }
    return anchors;
  }

  private static boolean leads(Path page, String link) {
    int hash = link.indexOf('#');
    String file = hash < 0 ? link : link.substring(0, hash);
    Path target = file.isEmpty() ? page : page.resolveSibling(file).normalize();
    if (hash < 0) {
      return Files.exists(target);
    }
    String text = PAGES.get(target);
    return text != null && anchors(text).contains(link.substring(hash + 1));
  }

  @Test
  void linksLeadToWhatIsThere() {
    List<String> broken = new ArrayList<>();
    int links = 0;
    for (Map.Entry<Path, String> page : PAGES.entrySet()) {
      for (MatchResult found : LINK.matcher(withoutCode(page.getValue())).results().toList()) {
        String link = found.group(1);
        if (!FOREIGN.matcher(link).find()) {
          links++;
          if (!leads(page.getKey(), link)) {
            broken.add(page.getKey() + " -> " + link);
          }
        }
      }
    }
    assertTrue(links > 200, "only " + links + " in " + PAGES.keySet());
    assertEquals(List.of(), broken);
  }

  /** A page that no other one names is found by its author alone. */
  @Test
  void everyPageIsLinkedFromAnother() {
    Set<Path> lonely = new TreeSet<>(PAGES.keySet());
    PAGES.forEach(
        (page, text) ->
            LINK.matcher(withoutCode(text))
                .results()
                .map(found -> found.group(1).replaceAll("#.*", ""))
                .filter(file -> !file.isEmpty())
                .map(file -> page.resolveSibling(file).normalize())
                .filter(target -> !target.equals(page))
                .forEach(lonely::remove));
    lonely.remove(SOURCES.resolve("README.md"));
    lonely.removeIf(page -> page.startsWith(SOURCES.resolve("docs").resolve("decisions")));
    assertEquals(Set.of(), lonely);
  }

  @Test
  void headingsAreNamedAsTheirReadersNameThem() {
    assertEquals(
        Set.of("what-it-is", "what-it-is-1", "retso_readsserver-and-on"),
        anchors("# What it is\n\n## What *it* is?\n\n### `RETSO_READS=SERVER`, and on\n"));
  }
}
