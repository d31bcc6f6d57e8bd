package io.retso.report;

import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The report as JSON, with everything that was measured. */
public final class ReportJson {
  private static final ObjectMapper MAPPER =
      new ObjectMapper()
          .enable(SerializationFeature.INDENT_OUTPUT)
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES); // what follows from others

  private ReportJson() {}

  /** Reads a report that was written by {@link #write}, of this version. */
  public static <T extends Record> T read(Path file, Class<T> type) throws IOException {
    return MAPPER.readValue(file.toFile(), type);
  }

  /** Writes a report, a record, to a file. */
  public static void write(Record report, Path file) throws IOException {
    Files.writeString(file, MAPPER.writeValueAsString(report) + System.lineSeparator());
  }
}
