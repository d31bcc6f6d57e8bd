package io.retso.advise.input;

import io.retso.advise.model.Operation;
import io.retso.advise.model.Operation.Kind;
import io.retso.advise.model.Program;
import io.retso.advise.model.ProgramException;
import io.retso.advise.model.Programs;
import io.retso.advise.model.Programs.Conflicts;
import java.io.IOException;
import java.io.StringReader;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.yetus.audience.InterfaceAudience;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.error.Mark;
import org.yaml.snakeyaml.error.MarkedYAMLException;
import org.yaml.snakeyaml.error.YAMLException;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;

/**
 * Reads programs from a file of YAML, which stands beside the application's code. Stateless.
 *
 * <pre>
 *   conflicts: row                # or cell; of all tables
 *   tables:
 *     counters: cell              # of one
 *   programs:
 *     - program: WriteCheck(n)
 *       rate: 10                  # beside the others; 1 if it is left out
 *       isolation: serializable   # or snapshot, the default
 *       do:
 *         - read saving[n].balance
 *         - read checking[n].balance
 *         - write checking[n].balance
 *     - program: Amalgamate(n1, n2)
 *       distinct: [n1, n2]        # never equal
 *       do:
 *         - lock saving[n1].balance       # getForUpdate: it reads, too
 *         - validate checking[n2].balance # getValidated
 *         - scan history[n1].amount, *    # all rows that begin so; * is that rows exist
 * </pre>
 *
 * @since 0.1
 */
@InterfaceAudience.Public
public final class ProgramsFile {
  /** A file has at most so many characters. */
  private static final int CHARACTERS_MAX = 1 << 20;

  private static final Pattern HEAD =
      Pattern.compile("\\s*([\\w.-]+)\\s*(?:\\(\\s*([\\w, ]*?)\\s*\\))?\\s*");

  private static final Pattern OPERATION =
      Pattern.compile(
          "\\s*(\\w+)\\s+([\\w.:-]+?)\\s*(?:\\[([^\\]]*)])?\\s*(?:\\.\\s*([^\\[\\].]+))?\\s*");

  private static final String EXAMPLE = "such as 'read saving[n].balance'";

  private final String name;

  private ProgramsFile(String name) {
    this.name = name;
  }

  /**
   * Reads a file.
   *
   * @throws ProgramsFormatException if it says something else, with the line
   * @throws IOException if it cannot be read
   */
  public static Programs read(Path file) throws IOException {
    try {
      if (Files.size(file) > CHARACTERS_MAX) {
        throw new ProgramsFormatException(
            file + ": more than " + CHARACTERS_MAX + " characters are no file of programs");
      }
      return parse(file.toString(), Files.readString(file));
    } catch (NoSuchFileException e) {
      throw new ProgramsFormatException("there is no file " + file);
    } catch (CharacterCodingException e) {
      throw new ProgramsFormatException(file + ": it is not text in UTF-8");
    }
  }

  /**
   * Reads a text.
   *
   * @param name of it, for errors
   */
  public static Programs parse(String name, String text) throws ProgramsFormatException {
    return new ProgramsFile(name).parse(text);
  }

  private Programs parse(String text) throws ProgramsFormatException {
    Node root;
    try {
      LoaderOptions options = new LoaderOptions();
      options.setCodePointLimit(CHARACTERS_MAX);
      options.setMaxAliasesForCollections(0);
      root = new Yaml(options).compose(new StringReader(text));
    } catch (YAMLException e) {
      Mark mark = e instanceof MarkedYAMLException marked ? marked.getProblemMark() : null;
      throw new ProgramsFormatException(
          name + ":" + (mark == null ? 1 : mark.getLine() + 1) + ": not YAML: " + problem(e));
    }
    if (root == null) {
      throw new ProgramsFormatException(name + ":1: empty: 'programs:' and a list is expected");
    }
    Map<String, Node> parts = mapping(root, Set.of("conflicts", "tables", "programs"));
    Node programs = parts.get("programs");
    if (programs == null) {
      throw wrong(root, "'programs:' is missing, and a list of programs behind it");
    }
    Conflicts all =
        parts.containsKey("conflicts") ? conflicts(parts.get("conflicts")) : Conflicts.ROW;
    Map<String, Conflicts> tables = new LinkedHashMap<>();
    if (parts.containsKey("tables")) {
      for (Map.Entry<String, Node> table : mapping(parts.get("tables"), null).entrySet()) {
        tables.put(table.getKey(), conflicts(table.getValue()));
      }
    }
    List<Program> found = new ArrayList<>();
    for (Node program : sequence(programs)) {
      found.add(program(program));
    }
    try {
      return Programs.of(found, all, tables);
    } catch (ProgramException e) {
      throw wrong(programs, e.getMessage());
    }
  }

  private static String problem(YAMLException e) {
    return e instanceof MarkedYAMLException marked && marked.getProblem() != null
        ? marked.getProblem()
        : "it cannot be read as such";
  }

  private Conflicts conflicts(Node node) throws ProgramsFormatException {
    return switch (scalar(node)) {
      case "row" -> Conflicts.ROW;
      case "cell" -> Conflicts.CELL;
      default -> throw wrong(node, "'row' or 'cell' is expected");
    };
  }

  private Program program(Node node) throws ProgramsFormatException {
    Map<String, Node> parts =
        mapping(node, Set.of("program", "rate", "isolation", "distinct", "do"));
    if (!parts.containsKey("program") || !parts.containsKey("do")) {
      throw wrong(node, "a program has 'program: NAME(PARAMETERS)' and 'do:' with a list");
    }
    Node at = parts.get("program");
    Matcher head = HEAD.matcher(scalar(at));
    if (!head.matches()) {
      throw wrong(at, "a name with parameters is expected, such as 'program: WriteCheck(n)'");
    }
    try {
      String parameters = head.group(2) == null ? "" : head.group(2);
      Program program = Program.named(head.group(1), words(parameters));
      if (parts.containsKey("rate")) {
        at = parts.get("rate");
        program = program.rate(Double.parseDouble(scalar(at)));
      }
      if (parts.containsKey("isolation")) {
        at = parts.get("isolation");
        program = program.serializable(isSerializable(at));
      }
      if (parts.containsKey("distinct")) {
        at = parts.get("distinct");
        List<String> names = new ArrayList<>();
        for (Node one : sequence(at)) {
          names.add(scalar(one));
        }
        program = program.distinct(names.toArray(String[]::new));
      }
      for (Node operation : sequence(parts.get("do"))) {
        at = operation;
        for (Operation one : operations(operation)) {
          program = program.with(one);
        }
      }
      return program;
    } catch (NumberFormatException e) {
      throw wrong(at, "a number is expected, such as 'rate: 10'");
    } catch (ProgramException e) {
      throw wrong(at, e.getMessage());
    }
  }

  private boolean isSerializable(Node node) throws ProgramsFormatException {
    return switch (scalar(node)) {
      case "serializable" -> true;
      case "snapshot" -> false;
      default -> throw wrong(node, "'snapshot' or 'serializable' is expected");
    };
  }

  /** One, or two for a lock that reads. */
  private List<Operation> operations(Node node) throws ProgramsFormatException {
    Matcher text = OPERATION.matcher(scalar(node));
    if (!text.matches()) {
      throw wrong(node, "an operation is expected, " + EXAMPLE);
    }
    Kind kind = kind(node, text.group(1));
    List<String> key = List.of(words(text.group(3) == null ? "" : text.group(3)));
    Set<String> columns =
        new LinkedHashSet<>(List.of(words(text.group(4) == null ? "" : text.group(4))));
    String table = text.group(2);
    if (kind == Kind.LOCK) {
      Operation lock = new Operation(kind, table, key, columns);
      return columns.isEmpty()
          ? List.of(lock)
          : List.of(new Operation(Kind.READ, table, key, columns), lock);
    }
    if (columns.isEmpty()) {
      throw wrong(node, "columns are missing behind a dot, " + EXAMPLE + "; * is that rows exist");
    }
    return List.of(new Operation(kind, table, key, columns));
  }

  private Kind kind(Node node, String word) throws ProgramsFormatException {
    for (Kind kind : Kind.values()) {
      if (kind.word().equals(word.toLowerCase(Locale.ROOT))) {
        return kind;
      }
    }
    throw wrong(node, word + " is none of read, scan, validate, lock, write; " + EXAMPLE);
  }

  private static String[] words(String text) {
    return text.isBlank() ? new String[0] : text.trim().split("\\s*,\\s*|\\s+");
  }

  private Map<String, Node> mapping(Node node, Set<String> known) throws ProgramsFormatException {
    if (!(node instanceof MappingNode mapping)) {
      throw wrong(node, "names with values are expected" + (known == null ? "" : ": " + known));
    }
    Map<String, Node> parts = new LinkedHashMap<>();
    for (NodeTuple tuple : mapping.getValue()) {
      String key = scalar(tuple.getKeyNode());
      if (known != null && !known.contains(key)) {
        throw wrong(
            tuple.getKeyNode(), "'" + key + "' is none of " + known.stream().sorted().toList());
      }
      if (parts.put(key, tuple.getValueNode()) != null) {
        throw wrong(tuple.getKeyNode(), "'" + key + "' is there twice");
      }
    }
    return parts;
  }

  private List<Node> sequence(Node node) throws ProgramsFormatException {
    if (!(node instanceof SequenceNode sequence)) {
      throw wrong(node, "a list is expected, each line of it with '- ' before it");
    }
    return sequence.getValue();
  }

  private String scalar(Node node) throws ProgramsFormatException {
    if (!(node instanceof ScalarNode scalar)) {
      throw wrong(node, "a word or a text is expected");
    }
    return scalar.getValue();
  }

  private ProgramsFormatException wrong(Node node, String what) {
    return new ProgramsFormatException(
        name + ":" + (node.getStartMark().getLine() + 1) + ": " + what);
  }
}
