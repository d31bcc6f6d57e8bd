package io.retso.hbase;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Which package may know which; docs/hbase.md, "Code". */
class ArchitectureTest {
  private static final JavaClasses MODULE =
      new ClassFileImporter().importPath(Path.of("target", "classes"));

  private static final DescribedPredicate<JavaClass> API = resideInAPackage("io.retso.hbase");
  private static final String DATA = "io.retso.hbase.data..";
  private static final String COPROCESSOR = "io.retso.hbase.coprocessor..";

  @Test
  void dataKnowsNeitherClientNorRegionServer() {
    noClasses()
        .that()
        .resideInAPackage(DATA)
        .should()
        .dependOnClassesThat(API.or(resideInAPackage(COPROCESSOR)))
        .check(MODULE);
  }

  @Test
  void clientAndCoprocessorDoNotKnowEachOther() {
    noClasses()
        .that(API)
        .should()
        .dependOnClassesThat()
        .resideInAPackage(COPROCESSOR)
        .check(MODULE);
    noClasses()
        .that()
        .resideInAPackage(COPROCESSOR)
        .should()
        .dependOnClassesThat(API)
        .check(MODULE);
  }

  @Test
  void onlyTheCoprocessorLivesInRegionServers() {
    noClasses()
        .that()
        .resideOutsideOfPackage(COPROCESSOR)
        .should()
        .dependOnClassesThat()
        .resideInAnyPackage(
            "org.apache.hadoop.hbase.regionserver..", "org.apache.hadoop.hbase.coprocessor..")
        .because("an application has HBase's client, not its server")
        .check(MODULE);
  }

  @Test
  void namesSayWhatAClassIsFor() {
    noClasses()
        .should()
        .haveNameMatching(".*(Impl|Utils?|Helper)")
        .orShould()
        .haveNameMatching(".*\\.(Abstract|Mock)[A-Z][^.]*")
        .check(MODULE);
  }
}
