package io.retso;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Rules of language for comments and messages of the main code, and for the pages. */
class LanguageTest {
  private static final Path ROOT = Path.of("..", "..");

  /** Words before which a noun is missing if "who" follows. */
  private static final String NO_NOUNS =
      "and|or|nor|but|for|of|to|from|by|with|than|as|if|when|which|where|while|because|so|then|only"
          + "|not|also|is|are|was|be|on|about|that|do|does|says?|said|knows?|knew|known|tells?|told"
          + "|sees?|asks?|asked|shows?|shown|names|lists?|decides?|decided|proves?|proved|refuses?"
          + "|notices?|hears?|learns?|verifies|verified";

  /** "Who they are" is of no noun, wherever it stands. */
  private static final String IDENTITY =
      "(?:it|they|you|one|that|clients|(?:an?|the|its|this)\\s+\\w+)\\s+(?:is|are|was|were)\\b";

  private enum Rule {
    NOUN_BEFORE_WHO(
        "(?<![\\w.-])(?:[Ww]hoever|Who)\\b|\\bwho\\b(?:(?<=(?:^|[.;:(|]|\\b(?i:"
            + NO_NOUNS
            + ")\\s)\\s{0,99}who)|\\s+"
            + IDENTITY
            + ")",
        "put a noun before \"who\", such as \"a client that\""),
    NAMED_SUBJECT(
        "(?i)\\b(?:nobody|no[ -]one|(?:some|any|every)(?:body|one))\\b",
        "name the subject, such as \"no client\" or \"another process\""),
    COMMENT_NAMES_ITS_SUBJECT(
        "^\\s*(?:[Oo]f|[Tt]he same)\\b", "begin the comment with what it is about");

    final Pattern pattern;
    final String remedy;

    Rule(String pattern, String remedy) {
      this.pattern = Pattern.compile(pattern);
      this.remedy = remedy;
    }
  }

  /** Without escapes in text blocks, as none has quotes in it that need one. */
  private static final String LITERAL =
      "(?:\"\"\"(?s:.*?)\"\"\"|\"[^\"\\\\\n]*+(?:\\\\.[^\"\\\\\n]*+)*+\")";

  private static final Pattern JAVA =
      Pattern.compile(
          "//[^\n]*(?:\n[ \t]*//[^\n]*)*|/\\*(?s:.*?)\\*/|'(?:\\\\.|[^'\\\\\n])+'|(?<text>"
              + LITERAL
              + "(?:\\s*\\+\\s*"
              + LITERAL
              + ")*)");

  /** What is quoted stands for a noun. */
  private static final Pattern QUOTED =
      Pattern.compile("\\{@(?:code|link|linkplain|value|literal)\\b[^}]*}|`[^`]{1,300}`");

  private static final Pattern JAVA_MARKS =
      Pattern.compile(
          "^/\\*+|\\*/$|(?m:^[ \t]*(?://+|\\*+))|\"(?:\\s*\\+\\s*\")?|</?(?!p>|li>)\\w+>");

  private static final Pattern JAVA_STARTS =
      Pattern.compile("<(?:p|li)>|@(?:param\\s+[\\w<>]+|return|throws\\s+\\w+)");

  private static final Pattern PAGE_QUOTED =
      Pattern.compile("(?m)^ *```(?s:.*?)^ *```|(?<=])\\([^)]*\\)|`[^`]{1,300}`");

  private static final Pattern PAGE_MARKS = Pattern.compile("\\*\\*");

  private static final Pattern PAGE_STARTS =
      Pattern.compile("(?m)^[ \t]*(?:[-*#]+|\\d+\\.)(?=\\s)");

  @Test
  void theRulesAreKept() throws IOException {
    List<Path> sources = new ArrayList<>();
    List<Path> pages = new ArrayList<>();
    Files.walkFileTree(ROOT, new Finder(sources, ".java", "/src/main/"));
    Files.walkFileTree(ROOT, new Finder(pages, ".md", "/"));
    assertTrue(sources.size() > 500 && pages.size() > 50, sources.size() + ", " + pages.size());
    List<String> broken = new ArrayList<>();
    for (Path source : sources) {
      ofSource(Files.readString(source)).forEach(what -> broken.add(source + ":" + what));
    }
    for (Path page : pages) {
      ofPage(Files.readString(page)).forEach(what -> broken.add(page + ":" + what));
    }
    assertEquals(List.of(), broken, () -> String.join("\n", broken));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1 NOUN_BEFORE_WHO /** Who leads. */",
        "2 NOUN_BEFORE_WHO /**\n * It says who it is. */",
        "3 NOUN_BEFORE_WHO /**\n * Reads it.\n * @param by who reads it */",
        "1 NOUN_BEFORE_WHO // says by a ticket who they are",
        "2 NOUN_BEFORE_WHO // for long, and\n   // whoever waits for it",
        "2 NOUN_BEFORE_WHO String a = \"it asks and\"\n + \" who answers\";",
        "2 NAMED_SUBJECT /* as far\n as it says, nobody's */",
        "1 NAMED_SUBJECT x(); // somebody",
        "2 NAMED_SUBJECT String a = \"\"\"\n there is no one\n\"\"\";",
        "1 COMMENT_NAMES_ITS_SUBJECT /** Of the leader. */",
        "1 COMMENT_NAMES_ITS_SUBJECT int a; // of the other thread",
        "2 COMMENT_NAMES_ITS_SUBJECT int a;\n  /** The same, later. */",
      })
  void brokenRulesAreFoundInSources(String given) {
    String[] parts = given.split(" ", 3);
    assertEquals(List.of(told(parts[0], parts[1])), ofSource(parts[2]));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "1 NOUN_BEFORE_WHO # Who leads",
        "3 NOUN_BEFORE_WHO Text.\n\n- who reads waits",
        "2 NOUN_BEFORE_WHO | a |\n| who reads | waits |",
        "2 NOUN_BEFORE_WHO It waits for\nwho comes.",
        "1 NAMED_SUBJECT [Everybody](page.md) waits.",
        "2 NAMED_SUBJECT `a`\n**Anyone** may.",
      })
  void brokenRulesAreFoundInPages(String given) {
    String[] parts = given.split(" ", 3);
    assertEquals(List.of(told(parts[0], parts[1])), ofPage(parts[2]));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/** The user who began it, whose ticket it is: {@code nobody}, {@link Who}. */",
        "/** A part of the same body. */ Who who = nobody(of); // any one of these",
        "int of; // a second comment\nString a = \"nobody\" + x + \"WHO\";",
        "String a = \"\\\"\"; char b = '\"'; // says `who`",
        "[The operator](who.md#who-reads) who `waits for whoever` comes.\n```\nnobody\n```\n",
      })
  void othersAreNot(String given) {
    assertEquals(List.of(), given.startsWith("[") ? ofPage(given) : ofSource(given));
  }

  private static List<String> ofSource(String source) {
    List<String> broken = new ArrayList<>();
    Matcher found = JAVA.matcher(source);
    while (found.find()) {
      String text = blank(blank(found.group(), QUOTED, '_'), JAVA_MARKS, ' ');
      text = blank(text, JAVA_STARTS, '.');
      boolean isComment = found.group("text") == null;
      if (isComment || text.strip().contains(" ")) { // one word is a name, and no message
        look(source, found.start(), text, isComment, broken);
      }
    }
    return broken;
  }

  private static List<String> ofPage(String page) {
    List<String> broken = new ArrayList<>();
    String text = blank(blank(page, PAGE_QUOTED, '_'), PAGE_MARKS, ' ');
    look(page, 0, blank(text, PAGE_STARTS, '.'), false, broken);
    return broken;
  }

  /** Places in the text stay what they are. */
  private static String blank(String text, Pattern what, char with) {
    return what.matcher(text)
        .replaceAll(found -> found.group().replaceAll("[^\n]", String.valueOf(with)));
  }

  private static void look(
      String all, int from, String text, boolean isComment, List<String> broken) {
    for (Rule rule : Rule.values()) {
      Matcher found = rule.pattern.matcher(text);
      while ((isComment || rule != Rule.COMMENT_NAMES_ITS_SUBJECT) && found.find()) {
        long line = 1 + all.substring(0, from + found.end()).chars().filter(c -> c == '\n').count();
        broken.add(told(String.valueOf(line), rule.name()));
      }
    }
  }

  private static String told(String line, String rule) {
    return line + ": " + rule + ": " + Rule.valueOf(rule).remedy;
  }

  /** Looks at what is written by hand and kept in the repository. */
  private static final class Finder extends SimpleFileVisitor<Path> {
    private final List<Path> found;
    private final String end;
    private final String part;

    Finder(List<Path> found, String end, String part) {
      this.found = found;
      this.end = end;
      this.part = part;
    }

    @Override
    public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
      String name = directory.getFileName().toString();
      return name.equals("target") || name.startsWith(".") && !name.equals("..")
          ? FileVisitResult.SKIP_SUBTREE
          : FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      String path = file.toString().replace('\\', '/');
      if (path.endsWith(end) && path.contains(part)) {
        found.add(file);
      }
      return FileVisitResult.CONTINUE;
    }
  }
}
