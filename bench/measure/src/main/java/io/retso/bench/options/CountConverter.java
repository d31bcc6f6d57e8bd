package io.retso.bench.options;

import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Counts such as {@code 20M}, {@code 500k} or {@code 1000}: suffixes are powers of ten. */
public final class CountConverter implements ITypeConverter<Long> {
  private static final Pattern COUNT = Pattern.compile("(\\d{1,15})([kKMG]?)");

  @Override
  public Long convert(String text) {
    Matcher count = COUNT.matcher(text.trim());
    if (!count.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is not a count; write a number, or one with k, M or G, such as 20M");
    }
    long unit =
        switch (count.group(2)) {
          case "k", "K" -> 1_000L;
          case "M" -> 1_000_000L;
          case "G" -> 1_000_000_000L;
          default -> 1L;
        };
    return Math.multiplyExact(Long.parseLong(count.group(1)), unit);
  }
}
