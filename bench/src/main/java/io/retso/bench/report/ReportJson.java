package io.retso.bench.report;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The report as JSON, with everything that was measured. */
public final class ReportJson {
  private static final ObjectMapper MAPPER =
      new ObjectMapper().enable(SerializationFeature.INDENT_OUTPUT);

  private ReportJson() {}

  /** Writes a report, a record, to a file. */
  public static void write(Record report, Path file) throws IOException {
    Files.writeString(file, MAPPER.writeValueAsString(report) + System.lineSeparator());
  }
}
