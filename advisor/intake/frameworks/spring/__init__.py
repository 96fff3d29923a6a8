"""Spring Boot and Spring Cloud Stream."""
