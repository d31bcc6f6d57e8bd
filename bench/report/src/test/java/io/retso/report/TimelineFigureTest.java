package io.retso.report;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.retso.report.TimelineFigure.Span;
import io.retso.report.TimelineFigure.Waits;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;

class TimelineFigureTest {
  private static Document figure(int[] counts, float[] waits) throws Exception {
    String svg =
        TimelineFigure.of(
            "title",
            "subtitle",
            0.1,
            counts,
            List.of(new Waits("begin", waits)),
            List.of(new Span("oracle-1", 0, 1), new Span("oracle-2", 1, 3)),
            List.of(new Span("kill-leader", 1, 1.5)));
    return DocumentBuilderFactory.newInstance()
        .newDocumentBuilder()
        .parse(new ByteArrayInputStream(svg.getBytes(StandardCharsets.UTF_8)));
  }

  @Test
  void leadersAndFaultsAreShownOverTheirTimes() throws Exception {
    Document drawn = figure(new int[] {10, 20, 0, 5}, new float[] {1, 2, 0, 300});
    String text = drawn.getDocumentElement().getTextContent();
    assertTrue(text.contains("oracle-1") && text.contains("kill-leader"), text);
    assertEquals(2, drawn.getElementsByTagName("path").getLength());
  }

  @Test
  void aLongRunIsDrawnWithAColumnForSeveralSteps() throws Exception {
    int[] counts = new int[100_000];
    float[] waits = new float[100_000];
    Arrays.fill(counts, 100);
    waits[77_777] = 5000;
    Document drawn = figure(counts, waits);
    String path =
        drawn.getElementsByTagName("path").item(0).getAttributes().getNamedItem("d").getNodeValue();
    assertTrue(path.split("[ML]").length < 2000, "points: " + path.split("[ML]").length);
    assertEquals(2, drawn.getElementsByTagName("path").getLength(), "the one wait is drawn");
  }

  @Test
  void nothingIsDrawable() throws Exception {
    figure(new int[0], new float[0]);
  }
}
