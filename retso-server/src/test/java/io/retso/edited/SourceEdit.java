package io.retso.edited;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.StandardLocation;
import javax.tools.ToolProvider;

/**
 * One edit of a source file.
 *
 * @param file the source
 * @param text what is replaced; it must be there once, so that an engineer who changes it learns
 *     that the evidence needs a new look
 * @param instead what is there instead
 */
public record SourceEdit(Path file, String text, String instead) {
  private static final JavaCompiler COMPILER = ToolProvider.getSystemJavaCompiler();

  /** Keeps the jars of the class path open, for all edits. */
  private static final StandardJavaFileManager FILES = files();

  /** The edited file, which is never written. */
  private static final class Edited extends SimpleJavaFileObject {
    private final String source;

    Edited(Path file, String source) {
      super(file.toAbsolutePath().toUri(), Kind.SOURCE);
      this.source = source;
    }

    @Override
    public CharSequence getCharContent(boolean ignoreEncodingErrors) {
      return source;
    }
  }

  private static StandardJavaFileManager files() {
    StandardJavaFileManager files =
        COMPILER.getStandardFileManager(null, null, StandardCharsets.UTF_8);
    String[] classPath = System.getProperty("java.class.path").split(File.pathSeparator);
    try {
      files.setLocationFromPaths(
          StandardLocation.CLASS_PATH, Stream.of(classPath).map(Path::of).toList());
      return files;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Compiles the edited file; one at a time. Everything that it uses comes from the class path, as
   * it was built.
   *
   * @param classes a directory; its classes of this file are replaced
   */
  public void compile(Path classes) {
    try {
      Files.createDirectories(classes);
      FILES.setLocationFromPaths(StandardLocation.CLASS_OUTPUT, List.of(classes));
      StringWriter messages = new StringWriter();
      List<String> options = List.of("-proc:none", "-nowarn", "-implicit:none");
      List<JavaFileObject> sources = List.of(new Edited(file, edited()));
      if (!COMPILER.getTask(messages, FILES, null, options, null, sources).call()) {
        throw new IllegalArgumentException(messages.toString());
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private String edited() throws IOException {
    String source = Files.readString(file);
    int found = source.split(Pattern.quote(text), -1).length - 1;
    if (found != 1) {
      throw new IllegalArgumentException(
          "the text to be edited is " + found + " times in " + file + ": " + text);
    }
    return source.replace(text, instead);
  }
}
