package io.retso.advise.model;

import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.yetus.audience.InterfaceAudience;

/**
 * One transaction: a program with values of its parameters. Immutable.
 *
 * @param program what it runs
 * @param values of its parameters, in their order; the numbers of one kind of parameters have
 *     nothing to do with those of another
 * @since 0.1
 */
@InterfaceAudience.Public
public record Instance(Program program, List<String> values) {
  /** Copies the list. */
  public Instance {
    values = List.copyOf(values);
  }

  /** The row that an operation of it names, or the prefix of rows: values of its key's parts. */
  public List<String> key(Operation operation) {
    return operation.key().stream()
        .map(
            part ->
                Program.isConstant(part)
                    ? part.substring(1, part.length() - 1)
                    : values.get(program.parameters().indexOf(part)))
        .toList();
  }

  /** Such as {@code WriteCheck(n=1)}. */
  @Override
  public String toString() {
    return IntStream.range(0, values.size())
        .mapToObj(i -> program.parameters().get(i) + "=" + values.get(i))
        .collect(Collectors.joining(", ", program.name() + "(", ")"));
  }
}
