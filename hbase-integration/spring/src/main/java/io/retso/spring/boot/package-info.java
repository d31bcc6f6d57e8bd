/** What Spring Boot makes of an application that has this artifact; docs/spring.md. */
package io.retso.spring.boot;
